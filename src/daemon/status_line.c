#include "daemon/status_line.h"

#include "words/notice_text.h"

void status_line_log(struct log *log, const struct node *node)
{
    const struct core *core = node_core(node);
    const struct view *view = core_view(core);
    const struct member *coordinator = core_coordinator(core);
    const struct node_traffic *traffic = node_traffic(node);
    const uint64_t now_ms = node_now_ms(node);
    const struct guard_state guard = core_guard(core, now_ms);
    const enum log_level level = log->level;

    log->level = level < LOG_INFO ? LOG_INFO : level;
    log_line(log, LOG_INFO, "status",
             "phase=%s view=%llu.%llu members=%u coordinator=%s acting=%s fresh=%u needed=%u "
             "links_up=%u datagrams_in=%llu datagrams_out=%llu send_failed=%llu",
             phase_text(core_phase(core)), (unsigned long long)view->epoch,
             (unsigned long long)view->version, view->member_count,
             coordinator != NULL ? coordinator->name : "none",
             node_acting_until_ms(node, now_ms) > now_ms ? "yes" : "no", guard.fresh, guard.needed,
             traffic->lifelines_up, (unsigned long long)traffic->datagrams_in,
             (unsigned long long)traffic->datagrams_out, (unsigned long long)traffic->send_failed);
    log->level = level;
}
