package doyen

import (
	"context"
	"net/http"
	"time"
)

const (
	votersTime  = 500 * time.Millisecond // within which voters say how they stand
	votersPause = 20 * time.Millisecond
	wishAgain   = time.Second // whom the wish was told may have gone
)

// Voter is one of those who vote under guard strict.
type Voter struct {
	Name     string `json:"name"`
	State    string `json:"voter"`     // "votes", "no record" and others of GET /v1/voters; "": it has not said
	RecordID string `json:"record_id"` // by which it votes; "": none yet
	Heard    bool   `json:"heard"`
	Member   bool   `json:"member"`
	Witness  bool   `json:"witness"` // a doyen-witness, which is no member
}

// Voters is who votes under guard strict, as one node knew it at one moment.
type Voters struct {
	Voters  []Voter   `json:"voters"`
	Change  *struct{} `json:"change"` // not nil: two lists hold, of which Voters has all
	Voting  int       `json:"voting"`
	Needed  int       `json:"needed"` // that nobody may act without; 0: the guard is another one
	Spare   int       `json:"spare"`  // so many may be lost
	Waiting int       `json:"waiting"`
}

// Voter returns the voter of this name, or nil.
func (v *Voters) Voter(name string) *Voter {
	for i := range v.Voters {
		if v.Voters[i].Name == name {
			return &v.Voters[i]
		}
	}
	return nil
}

func (v *Voters) recordOf(name string) string {
	if voter := v.Voter(name); voter != nil {
		return voter.RecordID
	}
	return ""
}

// shows says whether another node, or another record, votes in the place of the one of before.
func (v *Voters) shows(before *Voters, name, by string) bool {
	record := v.recordOf(by)
	if v.Change != nil || record == "" {
		return false
	}
	if by != name {
		return v.Voter(name) == nil
	}
	return record != before.recordOf(name)
}

func doze(ctx context.Context, span time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(span):
		return nil
	}
}

// Voters has the voters of guard strict asked how they stand, and returns them.
func (c *Client) Voters(ctx context.Context) (*Voters, error) {
	began := time.Now()
	for {
		voters := &Voters{}
		if err := c.Get(ctx, "/v1/voters", voters); err != nil {
			return nil, err
		}
		if voters.Waiting == 0 || time.Since(began) > votersTime {
			return voters, nil
		}
		if err := doze(ctx, votersPause); err != nil {
			return nil, err
		}
	}
}

// ReplaceVoter has the node by vote in the place of the voter; "": the same one, under another
// record, for one that has lost its disk. It returns the voters when that is settled. An Error with
// Refused says that it cannot be, or that nobody acts; when the context ends it goes on if it has
// begun.
func (c *Client) ReplaceVoter(ctx context.Context, name, by string) (*Voters, error) {
	before, err := c.Voters(ctx)
	if err != nil {
		return nil, err
	}
	wish := map[string]string{"replace": name}
	if by == "" || by == name {
		by = name
	} else {
		wish["with"] = by
	}
	if err := c.ask(ctx, http.MethodPost, "/v1/voters", wish, &struct{}{}); err != nil {
		return nil, err
	}
	missing := "the voter is not replaced"
	for asked := time.Now(); ; {
		voters := &Voters{}
		if err := c.Get(ctx, "/v1/voters", voters); err != nil {
			return nil, err
		}
		if voters.shows(before, name, by) {
			return voters, nil
		}
		if voters.Change == nil && time.Since(asked) >= wishAgain {
			asked = time.Now()
			if err := c.ask(ctx, http.MethodPost, "/v1/voters", wish, &struct{}{}); err != nil {
				missing = err.Error()
			}
		}
		if doze(ctx, votersPause) != nil {
			return nil, tooLate(ctx, missing)
		}
	}
}
