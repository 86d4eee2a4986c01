package doyen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// A page that says nothing for so long is asked for anew: its daemon may be stopped, as nothing tells.
const longestSleep = 5 * time.Second

// Within which is found why a role is not held.
const reasonTime = 500 * time.Millisecond

// LeadOptions say how Leading and Campaign go about it. The zero value will do.
type LeadOptions struct {
	// Grace is how long before the right to act ends the lead is lost, at the least: as much as the
	// work takes to stop. 0: as long as doyen run takes.
	Grace time.Duration
	// Timeout is for how long to wait until the lead begins. 0: as long as the context lasts.
	Timeout time.Duration
}

// Role is what Campaign stands for. What is zero is as POST /v1/campaign of proto/control.md has it.
// All candidates of a role have to say the same, but for Priority and Value.
type Role struct {
	Name         string
	Policy       string // "first", "oldest" or "priority"
	Holders      int
	Priority     int
	Preempt      bool
	PreemptAfter time.Duration
	Need         string
	Value        string // that others read
}

// Lead is the right to act, or a role, that this process has: it is lost once and for all, so long
// before it ends as Grace says.
type Lead struct {
	Epoch uint64 // or, of a role, its token: what is acted on refuses a lower one

	link  *link
	times times
	guard sync.Mutex
	why   string // it is lost
}

// times are how a lead has to keep house with the lease; as in src/cli/run/run_times.c.
type times struct {
	grace  time.Duration // between the word that the lead is lost and the moment to have stopped
	margin time.Duration // between that moment and the end of the right
	start  time.Duration // so much has to be left for a lead to begin
}

func timesOf(said *content, grace time.Duration) (times, error) {
	margin := said.span / 16
	if margin < 2*time.Millisecond {
		margin = 2 * time.Millisecond
	}
	most := said.span - said.renewal*5/4 - margin
	if most < 0 {
		most = 0
	}
	if grace == 0 {
		grace = most / 2
	}
	if grace > most {
		return times{}, failure(Usage, "a grace of %v does not fit into the lease of %v: give %v at the most, or start doyend with"+
			" --profile wan", grace, said.span, most)
	}
	return times{grace, margin, grace + margin + said.renewal/4}, nil
}

// Left returns for how long the lead is certain; 0: it is lost. It asks no daemon: call it as often as
// you like, and before each act.
func (l *Lead) Left() time.Duration {
	l.guard.Lock()
	defer l.guard.Unlock()
	if l.why != "" {
		return 0
	}
	said, known, _, _, _ := l.link.look()
	if !known || said.epoch != l.Epoch || said.deadline == 0 {
		l.why = "it was given up, or another one has it"
		return 0
	}
	left := said.left() - l.times.grace - l.times.margin
	if left <= 0 {
		l.why = "the lease was not renewed: doyend is stopped or gone, or hears too few others"
		return 0
	}
	return left
}

// Held is true while the lead is certain.
func (l *Lead) Held() bool { return l.Left() > 0 }

// Err says why the lead is lost, for errors.Is(err, ErrLeadLost); nil: it is held.
func (l *Lead) Err() error {
	if l.Held() {
		return nil
	}
	l.guard.Lock()
	defer l.guard.Unlock()
	return &leadLost{fmt.Sprintf("the lead of epoch %d is lost (%s): stop acting now", l.Epoch, l.why)}
}

// watch calls `lost` when the lead is lost, and returns then or when `done` is closed.
func (l *Lead) watch(done <-chan struct{}, lost func()) {
	for {
		_, _, _, _, news := l.link.look() // Before the look that counts, so that none is missed.
		left := l.Left()
		if left == 0 {
			lost()
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-done:
			timer.Stop()
			return
		case <-news:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// end says that nothing acts any more: a hand-over that waits for it goes on.
func (l *Lead) end() {
	l.guard.Lock()
	if l.why == "" {
		l.why = "its work is over"
	}
	l.guard.Unlock()
	l.link.sayStopped()
	l.link.close()
}

// Leading waits until this node acts, and calls `work`, which has to return when its context is over:
// that is when the lead is lost, or with `ctx`. A planned hand-over waits until it has returned.
//
// Returns what `work` returns; where that is the context's error and the lead is lost, an error for
// errors.Is(err, ErrLeadLost).
func (c *Client) Leading(ctx context.Context, options LeadOptions, work func(context.Context, *Lead) error) error {
	if err := firstOf(givenContext(ctx), options.check(), givenWork(work)); err != nil {
		return err
	}
	return c.lead(ctx, c.openLease, options, func() string { return "this node does not act" }, work)
}

// Campaign stands for the role, waits until this process holds it, and calls `work` as Leading does.
// The role is let go when that returns.
func (c *Client) Campaign(ctx context.Context, role Role, options LeadOptions,
	work func(context.Context, *Lead) error) error {
	if err := firstOf(givenContext(ctx), options.check(), role.check(&options), givenWork(work)); err != nil {
		return err
	}
	request := campaignRequest(role, options)
	open := func(ctx context.Context) (*link, error) { return c.openLink(ctx, request, true) }
	return c.lead(ctx, open, options, func() string { return c.notHeld(&role) }, work)
}

// notHeld says why a campaign has not come to hold its role, as far as that is told soon.
func (c *Client) notHeld(role *Role) string {
	ctx, cancel := context.WithTimeout(context.Background(), reasonTime)
	defer cancel()
	view, err := c.View(ctx)
	if err == nil {
		if why := role.unfit(view); why != "" {
			return why
		}
	}
	var roles *Roles
	for path := "/v1/roles?begin"; ; path = "/v1/roles" {
		found := &Roles{}
		if c.read(ctx, path, found) != nil {
			break
		}
		roles = found
		if !roles.Stale || doze(ctx, rolesPause) != nil {
			break
		}
	}
	if roles == nil {
		return "the role was not given, and why is not known: doyen roles says who has it"
	}
	if state := roles.Role(role.Name); state != nil && len(state.Holders) > 0 {
		return state.Holders[0].Member + " holds the role"
	}
	return "nobody gave " + role.Name + ": doyen status says whether anybody can"
}

// unfit says why this node can hold no such role, as doyen campaign does; "": it can.
func (r *Role) unfit(view *View) string {
	own := view.Member(view.Node)
	if own != nil && own.Drained {
		return fmt.Sprintf("%s is drained, and holds no role: doyen undrain %s", view.Node, view.Node)
	}
	if own != nil && !own.has(r.Need) {
		remedy := r.Need
		if !strings.Contains(remedy, "=") {
			remedy += "=VALUE"
		}
		return fmt.Sprintf("%s has no tag %s, which the role %s needs: doyen tag set %s", view.Node, r.Need, r.Name, remedy)
	}
	return ""
}

func campaignRequest(role Role, options LeadOptions) string {
	body, _ := json.Marshal(struct {
		Role         string `json:"role"`
		Policy       string `json:"policy,omitempty"`
		Holders      int    `json:"holders,omitempty"`
		Priority     int    `json:"priority,omitempty"`
		Preempt      bool   `json:"preempt,omitempty"`
		PreemptAfter int64  `json:"preempt_after_ms,omitempty"`
		Need         string `json:"need,omitempty"`
		Value        string `json:"value,omitempty"`
		Grace        int64  `json:"grace_ms,omitempty"`
	}{role.Name, role.Policy, role.Holders, role.Priority, role.Preempt, role.PreemptAfter.Milliseconds(), role.Need,
		role.Value, options.Grace.Milliseconds()})
	return fmt.Sprintf("POST /v1/campaign HTTP/1.1\r\nHost: doyen\r\nConnection: Upgrade\r\nUpgrade: doyen-campaign\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

type opener func(context.Context) (*link, error)

func (c *Client) lead(ctx context.Context, open opener, options LeadOptions, reason func() string,
	work func(context.Context, *Lead) error) error {
	lead, err := beginLead(ctx, open, options, reason)
	if err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		lead.watch(inner.Done(), cancel)
		close(watched)
	}()
	defer func() { // Also where it panics.
		cancel()
		<-watched
		lead.end()
	}()
	err = work(inner, lead)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		if lost := lead.Err(); lost != nil {
			return lost
		}
	}
	return err
}

// beginLead waits until there is a lead, over restarts of the daemon.
func beginLead(ctx context.Context, open opener, options LeadOptions, reason func() string) (*Lead, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if options.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, options.Timeout)
	}
	defer cancel()
	var held *link
	missing := "" // what stands in the way, if it is not that this node has to wait
	defer func() {
		if held != nil {
			held.close()
		}
	}()
	for first := true; ; first = false {
		if held == nil {
			opened, err := open(limited)
			if err != nil && limited.Err() == nil {
				if !passes(err, first) {
					return nil, err
				}
				missing = err.Error()
				sleep(limited, pause)
			}
			if err == nil {
				held, missing = opened, ""
			}
		}
		if held != nil {
			found, until, err := tryToLead(held, options.Grace)
			if found != nil {
				held = nil
				return found, nil
			}
			if err != nil {
				return nil, err
			}
			if until == nil || held.isToBeRenewed() {
				held.close()
				held = nil
			} else {
				until(limited)
			}
		}
		if limited.Err() != nil {
			if errors.Is(ctx.Err(), context.Canceled) {
				return nil, ctx.Err()
			}
			if missing == "" {
				missing = reason()
			}
			if ctx.Err() != nil {
				return nil, tooLate(ctx, missing)
			}
			return nil, failure(TimedOut, "timed out after %v: %s", options.Timeout, missing)
		}
	}
}

// tryToLead returns a lead, if there is one for long enough; else how to wait until another try is
// worth while; nil: the daemon is gone.
func tryToLead(held *link, grace time.Duration) (*Lead, func(context.Context), error) {
	said, known, isOpen, over, news := held.look()
	if over != "" {
		return nil, nil, failure(Refused, "%s", over)
	}
	if !isOpen {
		return nil, nil, nil
	}
	patience := longestSleep
	if !known {
		patience = 50 * time.Millisecond
	} else if said.span != 0 {
		needed, err := timesOf(&said, grace)
		if err != nil {
			return nil, nil, err
		}
		if said.deadline == 0 {
			held.sayStopped()
		} else if said.left() >= needed.start {
			return &Lead{Epoch: said.epoch, link: held, times: needed}, nil, nil
		} else if patience = said.renewal / 8; patience < 5*time.Millisecond {
			patience = 5 * time.Millisecond
		}
	}
	return nil, func(ctx context.Context) {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-news:
		case <-timer.C:
		}
	}, nil
}
