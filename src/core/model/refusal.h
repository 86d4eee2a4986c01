/* Why a message, or a part of it, was not acted on: one entry for each reason, with the clause of
 * proto/protocol.md that says so and the reason in plain English. */
#ifndef CORE_REFUSAL_H
#define CORE_REFUSAL_H

/* X(enumerator, name, clause, text). The name is what logs and documents show; it stays when the
 * text is worded anew.  */
#define REFUSALS(X)                                                                                \
    /* Of several kinds of messages. */                                                            \
    X(STOPPED, "stopped", "E1a", "this node has left")                                             \
    X(FROM_OURSELVES, "from_ourselves", "V6c", "it says that it comes from this very life")        \
    X(FOR_ANOTHER_LIFE, "for_another_life", "I1b", "it is meant for another life at this address") \
    X(RELAY_OF_STRANGERS, "relay_of_strangers", "R2c",                                             \
      "it asks to be handed on, and its sender or its receiver is no member here")                 \
    X(RELAYED_BEFORE, "relayed_before", "R2c", "it asks to be handed on, and was already")         \
    X(NOT_YET_MEMBER, "not_yet_member", "J6", "this node is not a member yet")                     \
    X(ALREADY_MEMBER, "already_member", "J6",                                                      \
      "this node is a member and does not ask to be let in")                                       \
    X(GREETING, "greeting", "D2b", "it is what two ends of a stream say to each other first")      \
    X(NUMBER_LEAPS, "number_leaps", "D6c", "its number is too far above its sender's last")        \
    X(OF_STRANGER, "of_stranger", "V6a", "its sender is no member here")                           \
    X(OVERTAKEN, "overtaken", "D6a", "a later message of its sender is known, or this very one")   \
    X(NOT_COORDINATOR, "not_coordinator", "E1a",                                                   \
      "it is for the coordinator, which this node is not")                                         \
    X(LEAVING, "leaving", "E3a", "this node is leaving")                                           \
    X(BUSY, "busy", "M3b", "this node has something else under way")                               \
    X(SO_ALREADY, "so_already", "E1a", "it is so already")                                         \
    X(OTHER_LINEAGE, "other_lineage", "C2a", "the view is of another founding")                    \
    X(LINEAGE_OVER, "lineage_over", "Z18d",                                                        \
      "another history took the place of that one, as this node's record has it")                  \
    X(STRANGERS_ANSWERED, "strangers_answered", "V6a",                                             \
      "as many non-members as may be were answered in this heartbeat interval")                    \
    X(ENOUGH_ANSWERED, "enough_answered", "V6b",                                                   \
      "this joiner has answered as many as may be since it last asked")                            \
    /* Roles (holding.c). */                                                                       \
    X(ROLE_OTHER_REIGN, "role_other_reign", "K4a",                                                 \
      "what it says of roles is said under another epoch than that of the view")                   \
    X(ROLE_NOT_OURS_TO_SAY, "role_not_ours_to_say", "K4a",                                         \
      "it is for the coordinator of the view, or does not come from it")                           \
    X(ROLE_NOT_ACTING, "role_not_acting", "K2a",                                                   \
      "it asks about roles, and this coordinator may not act now")                                 \
    X(ROLE_LEAPS, "role_leaps", "K4d",                                                             \
      "it has a number or a token of an epoch above that of the view")                             \
    /* Views (install.c). */                                                                       \
    X(VIEW_TOO_LARGE, "view_too_large", "B1", "the view has more members than this node can hold") \
    X(VIEW_UNSOUND, "view_unsound", "V4h",                                                         \
      "the hash, the ages, the numbers or the names of the view are not right")                    \
    X(VIEW_VOTERS, "view_voters", "Z11i",                                                          \
      "the view names other voters than could come next, and nobody was asked for it")             \
    X(VIEW_MISNAMES, "view_misnames", "V4h",                                                       \
      "the view holds this life, or a coordinator, under another name or address")                 \
    X(VIEW_LEAPS, "view_leaps", "V7a",                                                             \
      "the view's epoch, version or next_age is impossibly far ahead")                             \
    X(VIEW_NOT_EXPECTED, "view_not_expected", "V4g",                                               \
      "the view holds this joiner, and comes from nobody whom it asked to be let in")              \
    X(VIEW_WITHOUT_JOINER, "view_without_joiner", "V4g", "the view does not hold this joiner")     \
    X(VIEW_NOT_HIGHER, "view_not_higher", "V4e", "the view is not higher than this node's own")    \
    X(VIEW_NOT_FOLLOWED, "view_not_followed", "V4e",                                               \
      "nobody whose word counts here stands behind the view")                                      \
    X(VIEW_WITHOUT_US, "view_without_us", "L1b",                                                   \
      "the view lacks this node, and nobody whose word counts here stands behind it")              \
    X(VIEW_WITHOUT_COORDINATOR, "view_without_coordinator", "L1b",                                 \
      "the view lacks this node, which coordinates and does not give way to it")                   \
    X(VIEW_SHOWN_LATELY, "view_shown_lately", "V5a", "its sender was shown the view a moment ago") \
    X(VIEW_ASKED_FOR_LATELY, "view_asked_for_lately", "V5a",                                       \
      "this node has asked for a higher view a moment ago")                                        \
    /* Proposals and their answers (change_*.c). */                                                \
    X(PROPOSAL_OF_ANOTHER, "proposal_of_another", "V2a",                                           \
      "the proposal does not come from its maker")                                                 \
    X(PROPOSAL_WITHOUT_US, "proposal_without_us", "U2a", "the proposal does not hold this node")   \
    X(PROPOSAL_NOT_HIGHER, "proposal_not_higher", "U2a",                                           \
      "the proposal is lower than this node's own view")                                           \
    X(PROPOSAL_OVERTAKEN, "proposal_overtaken", "U2a",                                             \
      "its maker has proposed a higher one since")                                                 \
    X(PROPOSAL_BELOW_PROMISE, "proposal_below_promise", "U2c",                                     \
      "this node is bound to a higher epoch")                                                      \
    X(PROPOSAL_NOT_FOLLOWED, "proposal_not_followed", "U2c",                                       \
      "nobody whose word counts here stands behind the proposal")                                  \
    X(PROPOSAL_NOT_EXPECTED, "proposal_not_expected", "J7",                                        \
      "this joiner has said READY to nobody")                                                      \
    X(JOINER_BOUND, "joiner_bound", "J7",                                                          \
      "this joiner has accepted another proposal, or a higher one, that may come about yet")       \
    X(ANSWER_TO_ANOTHER, "answer_to_another", "U1b",                                               \
      "it answers another proposal than the present, or there is none")                            \
    X(ANSWER_OF_OUTSIDER, "answer_of_outsider", "U1b", "its sender is not in the proposed view")   \
    X(MERGE_UNASKED, "merge_unasked", "M4f",                                                       \
      "it does not echo what the coordinator of the other part was sent")                          \
    X(NACK_NOT_ABOVE, "nack_not_above", "U2c",                                                     \
      "the promise that it names is not above the proposal")                                       \
    X(EPOCH_LEAPS, "epoch_leaps", "V7a", "the epoch that it names is impossibly far ahead")        \
    X(ANOTHER_CLAIM, "another_claim", "C3a",                                                       \
      "it answers another claim than the present, or there is none")                               \
    X(COMMIT_NOT_HIGHER, "commit_not_higher", "U2d",                                               \
      "the view that it commits is not higher than this node's own")                               \
    /* Claims: who answers (voting.c, granter.c). */                                               \
    X(CLAIM_NOT_NEW, "claim_not_new", "C1a",                                                       \
      "the epoch asked for is not above that of the claimant's own view")                          \
    X(CLAIM_VIEW_HIGHER, "claim_view_higher", "C2a",                                               \
      "the claimant's view is higher than this node's, which asks for it")                         \
    X(CLAIM_VIEW_LOWER, "claim_view_lower", "C2a",                                                 \
      "the claimant's view is lower than this node's, which it is shown")                          \
    X(EPOCH_TAKEN, "epoch_taken", "C2b",                                                           \
      "the epoch is not above a proposal that was accepted here")                                  \
    X(EPOCH_BELOW_PROMISE, "epoch_below_promise", "C2b", "this node is bound to a higher epoch")   \
    X(EPOCH_PROMISED, "epoch_promised", "C2b", "the epoch is promised to another")                 \
    X(CLAIMANT_YOUNGER, "claimant_younger", "C2b", "this node is older than the claimant")         \
    X(OLDER_ONE_FRESH, "older_one_fresh", "C2b",                                                   \
      "this node has lately heard somebody older than the claimant")                               \
    X(CLAIM_LAPSED, "claim_lapsed", "C5a",                                                         \
      "the claim was waiting for this node's own evidence, and is over or overtaken")              \
    /* Claims: the candidate (candidacy.c). */                                                     \
    X(GRANT_OF_TAKEN, "grant_of_taken", "C2b",                                                     \
      "the proposal that comes with the grant has the epoch already")                              \
    X(GRANTED_BEFORE, "granted_before", "C5a", "its sender has granted since it sent this")        \
    X(BASE_UNFIT, "base_unfit", "C4a",                                                             \
      "the view cannot be built on: its maker is no elder, or its epoch not below the claim's")    \
    X(VIEW_IN_OUR_NAME, "view_in_our_name", "V4i",                                                 \
      "the view is in this node's own name, which never made it")                                  \
    X(BASE_NOT_HIGHEST, "base_not_highest", "C4a",                                                 \
      "the view is not built on, for a higher one is known")                                       \
    /* Joiners (admit.c, next_view.c, join.c). */                                                  \
    X(FOUNDING_GOES_ON, "founding_goes_on", "F2b",                                                 \
      "this node joins too, and need not wait for the one that asks")                              \
    X(HANDED_ON_BEFORE, "handed_on_before", "J1", "a member has handed the join on already")       \
    X(TERMS_DIFFER, "terms_differ", "J2a",                                                         \
      "the joiner, or the other part, was started with other terms")                               \
    X(NAME_IN_USE, "name_in_use", "I2", "a live member has the name or the address")               \
    X(NAME_IN_DOUBT, "name_in_doubt", "I2", "a silent member has the name or the address")         \
    X(CAPACITY_REACHED, "capacity_reached", "B1", "the view is as large as it can be")             \
    X(SIZE_REACHED, "size_reached", "G1c", "the cluster has its stated size")                      \
    X(READY_FOR_ANOTHER, "ready_for_another", "J3a",                                               \
      "it speaks for another joiner than its sender")                                              \
    X(READY_UNDER_WAY, "ready_under_way", "J5a", "the view under way holds the joiner already")    \
    X(REIGN_UNSURE, "reign_unsure", "D8d",                                                         \
      "this coordinator may have been replaced, which is settled first")                           \
    X(PART_YIELDS, "part_yields", "M3b", "this part is about to be taken up by another")           \
    X(NAME_FLAPS, "name_flaps", "R4a", "the name has failed too often lately")                     \
    X(NONCE_OVERTAKEN, "nonce_overtaken", "J3a", "its nonce is not that of the present view")      \
    X(READY_EPOCH_LEAPS, "ready_epoch_leaps", "V7a",                                               \
      "the joiner is let in, but the epoch of its earlier lives is impossibly far ahead")          \
    X(QUEUE_FULL, "queue_full", "B1", "too many joiners wait")                                     \
    X(JOINER_IN_ALREADY, "joiner_in_already", "J3b", "the joiner is in the view by now")           \
    X(JOINER_GONE, "joiner_gone", "J3b", "that life of the joiner is among the gone by now")       \
    X(JOINER_AT_OUR_ADDRESS, "joiner_at_our_address", "J4", "it names this node's own address")    \
    X(JOINER_FORGOTTEN, "joiner_forgotten", "J5a", "a merge came between, and it asks again")      \
    X(FORMER_LIFE, "former_life", "J4", "a life at the same address has come in meanwhile")        \
    X(JOINER_DID_NOT_ASK, "joiner_did_not_ask", "J3c", "it answers nothing that this joiner said") \
    X(HINT_AFTER_REFUSAL, "hint_after_refusal", "F1c",                                             \
      "this joiner was refused, and asks again at its own pace")                                   \
    /* Leaving (leave.c). */                                                                       \
    X(HANDOVER_OF_ANOTHER, "handover_of_another", "E2a",                                           \
      "it is not this node's coordinator that hands over its own view")                            \
    X(HANDOVER_OVERTAKEN, "handover_overtaken", "E2b",                                             \
      "the view handed over is neither the one that holds here nor one that was accepted here")    \
    X(HANDOVER_AFTER_SLEEP, "handover_after_sleep", "E2b", "this node was asleep a moment ago")    \
    X(HANDOVER_TO_ANOTHER, "handover_to_another", "E2a", "this node is not the next oldest")       \
    /* Planned moves (move.c). */                                                                  \
    X(MOVE_UNDER_WAY, "move_under_way", "E4", "this coordinator is standing down already")         \
    X(MOVE_PAUSES, "move_pauses", "E4", "this coordinator stood down for nobody a moment ago")     \
    X(MOVE_TO_UNFIT, "move_to_unfit", "E4",                                                        \
      "the member that is to coordinate is unknown, drained, suspected, silent or leaves")         \
    X(FORGET_UNGUARDED, "forget_unguarded", "E9a",                                                 \
      "this coordinator's guard is not met, so that who is gone here may be at work elsewhere")    \
    /* Tags at run time (tag.c, next_view.c). */                                                   \
    X(TAGS_TOO_SOON, "tags_too_soon", "E8b", "its sender's tags have changed within a second")     \
    X(TAGS_NO_PLACE, "tags_no_place", "E8b", "too many members have asked for other tags")         \
    /* Changed terms (terms.c, next_view.c). */                                                    \
    X(RULES_UNFIT, "rules_unfit", "A4a",                                                           \
      "the terms do not fit the members, were changed meanwhile, or are just being changed")       \
    /* Questions about suspects (removal.c). */                                                    \
    X(ABOUT_STRANGER, "about_stranger", "R1a",                                                     \
      "the one that it is about, or for, is no member here")                                       \
    X(PONG_SECOND_HAND, "pong_second_hand", "R2a",                                                 \
      "only what was heard at first hand is handed on")                                            \
    X(PONG_OF_MOVED, "pong_of_moved", "R2a",                                                       \
      "the one that it is about follows another coordinator")                                      \
    X(PONG_NOT_FELLOW, "pong_not_fellow", "D2a", "its sender's view does not hold this node")      \
    X(PONG_UNASKED, "pong_unasked", "R1b", "it answers none of the latest questions of this node") \
    /* Other parts (probe.c, merge.c). */                                                          \
    X(PROBE_OF_OWN_PART, "probe_of_own_part", "M1a", "its sender belongs to this node's part")     \
    X(PROBE_OF_MEMBER, "probe_of_member", "M3a",                                                   \
      "its sender is a member here: who follows whom is settled first")                            \
    X(PROBE_SETTLED, "probe_settled", "M2", "the other part loses and knows it: it is to ask")     \
    X(PART_UNRELATED, "part_unrelated", "I3b",                                                     \
      "the other part has nothing in common with this one")                                        \
    X(MERGE_PAUSES, "merge_pauses", "M3c", "the pause after the last try is not over")             \
    X(MERGE_NO_ROOM, "merge_no_room", "M5a", "there is no room for both parts")                    \
    X(MERGE_OF_ANOTHER, "merge_of_another", "M3b",                                                 \
      "its sender is not the coordinator of the view")                                             \
    X(MERGE_UNNUMBERED, "merge_unnumbered", "M3b", "it has no number")                             \
    X(MERGE_OF_MEMBER, "merge_of_member", "M3a", "its sender is a member of this very part")       \
    X(MERGE_BEGUN, "merge_begun", "M3d", "that merge was begun before")                            \
    X(MERGE_NOT_WINNING, "merge_not_winning", "M5a", "this part does not win any more")            \
    X(VOTE_PROMISED, "vote_promised", "Z2a", "this voter is bound to that epoch or a higher one")  \
    X(VOTE_ACCEPTED, "vote_accepted", "Z2e",                                                       \
      "this voter has accepted another view of that epoch, which is not lower")                    \
    X(VOTE_MEANWHILE, "vote_meanwhile", "Z2l",                                                     \
      "what the voter accepted may be the view under way")                                         \
    X(VOTE_LEASED, "vote_leased", "Z2a", "this voter has leased to another coordinator")           \
    X(VOTER_MUTE, "voter_mute", "Z3b",                                                             \
      "its record is not sound or of another founding, or what is asked is too long (Z15a)")       \
    X(OLD_RECORD, "old_record", "Z14b",                                                            \
      "the voter goes by an older copy of its record, which has forgotten what it said")           \
    X(NO_VOTER, "no_voter", "Z1a", "this node is no voter")                                        \
    X(VOTER_UNKNOWN, "voter_unknown", "Z1e", "its sender is not the voter whose answer it gives")  \
    X(VIEW_UNASKED, "view_unasked", "Z9d", "who shows the view has to be asked for it first")      \
    X(ONLY_VOTES, "only_votes", "Z16a", "this node only votes, and is no member of anything")      \
    X(NOT_FOUNDING, "not_founding", "Z8b", "this node asks for no records")                        \
    X(NOT_FOUNDED, "not_founded", "Z8b",                                                           \
      "the founding of its record goes on, and the claim does not name that record")               \
    X(ANOTHER_MERGE, "another_merge", "M3c",                                                       \
      "it is not about the merge that this part waits for, or it waits for none")                  \
    X(VOTER_ASKS_FIRST, "voter_asks_first", "Z2k",                                                 \
      "this voter has taken many strangers at their word and asks this one first")                 \
    X(RECORD_UNASKED, "record_unasked", "Z8h",                                                     \
      "who asks for a record did not hear this node's JOIN")                                       \
    X(VERSIONS_DIFFER, "versions_differ", "J2c",                                                   \
      "no version of the protocol is spoken by all members and by who is to come in")

enum refusal {
#define REFUSAL_ENUMERATOR(enumerator, name, clause, text) REFUSED_##enumerator,
    REFUSALS(REFUSAL_ENUMERATOR)
#undef REFUSAL_ENUMERATOR
        REFUSED_COUNT,
    REFUSED_NOT = REFUSED_COUNT, /* nothing stands against it */
};

const char *refusal_name(enum refusal reason);   /* "epoch_promised" */
const char *refusal_clause(enum refusal reason); /* "C2b" */
const char *refusal_text(enum refusal reason);   /* "the epoch is promised to another" */

#endif
