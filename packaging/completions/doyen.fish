# Completion of doyen, doyend, doyen-witness, doyen-replay and doyen-lab for fish. Verbs and options are those that --help
# names, so they are those of the installed programs; names are those of the members.

function __doyen_options
    $argv --help 2>/dev/null | string match --all --regex --groups-only -- '(?:^|[ ,])(--[a-z][a-z-]*)' | sort -u
end

function __doyen_verbs
    doyen --help 2>/dev/null | string match --regex --groups-only -- '^  ([a-z][a-z-]*)  +'
end

function __doyen_members
    doyen members --format '{name}' 2>/dev/null
end

function __doyen_verb
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    set --local skip 0
    for word in $words[2..]
        if test $skip = 1
            set skip 0
        else if contains -- $word -c --control -u --url --expect-user
            set skip 1
        else if not string match --quiet -- '-*' $word
            echo $word
            return 0
        end
    end
    return 1
end

complete --command doyen --no-files
complete --command doyen --condition 'not __doyen_verb' --arguments '(__doyen_verbs) (__doyen_options doyen)'
complete --command doyen --condition __doyen_verb --arguments '(__doyen_options doyen (__doyen_verb))'
complete --command doyen --condition 'contains -- (__doyen_verb) transfer drain undrain remove why fault wait' \
    --arguments '(__doyen_members)'
complete --command doyen --condition 'contains -- (__doyen_verb) keys' --arguments 'reload use remove'
complete --command doyen --condition 'contains -- (__doyen_verb) voters' --arguments '(__doyen_members) add remove replace set'
complete --command doyen --condition 'contains -- (__doyen_verb) tag' --arguments 'set unset'
complete --command doyen --condition 'contains -- (__doyen_verb) hook report init join invite' --force-files
complete --command doyend --arguments '(__doyen_options doyend)'
complete --command doyen-witness --arguments '(__doyen_options doyen-witness)'
complete --command doyen-replay --arguments '(__doyen_options doyen-replay)'
complete --command doyen-lab --arguments '(__doyen_options doyen-lab)'
