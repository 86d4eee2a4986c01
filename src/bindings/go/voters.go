package doyen

import (
	"context"
	"net/http"
	"time"
)

const (
	votersTime  = 500 * time.Millisecond // within which voters say how they stand
	votersPause = 20 * time.Millisecond
	wishAgain   = time.Second // asked again after it: the coordinator that was asked may have gone
)

// Voter is one of those who vote under guard strict.
type Voter struct {
	Name     string `json:"name"`
	State    string `json:"voter"`     // "votes", "no record" and others of GET /v1/voters; "": it has not said
	RecordID string `json:"record_id"` // of the record on its disk; "": none is known
	Heard    bool   `json:"heard"`     // by the node that was asked
	Member   bool   `json:"member"`    // of the view
	Witness  bool   `json:"witness"`   // a doyen-witness, which is no member
}

// Voters is who votes under guard strict, as one node knew it at one moment. While the voters are
// being changed, the numbers are of the list that lacks more.
type Voters struct {
	Voters  []Voter   `json:"voters"`
	Change  *struct{} `json:"change"`  // not nil: they are being changed, and Voters has the old and the new ones
	Voting  int       `json:"voting"`  // how many are heard and have not said that they cannot vote
	Needed  int       `json:"needed"`  // how many it takes for anybody to act; 0: the guard is another one
	Spare   int       `json:"spare"`   // how many may be lost
	Waiting int       `json:"waiting"` // how many have not said yet how they stand
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
		if err := c.read(ctx, "/v1/voters", voters); err != nil {
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

// ReplaceVoter has the node by vote in the place of the voter name. With "", name votes on under a
// new record, for it has lost its disk. It returns the voters when that is settled. An Error with
// Refused says that it cannot be done, or that nobody acts; a change that has begun goes on when the
// context ends.
func (c *Client) ReplaceVoter(ctx context.Context, name, by string) (*Voters, error) {
	if err := firstOf(givenContext(ctx), givenName("name", name), givenText("by", by)); err != nil {
		return nil, err
	}
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
		if err := c.read(ctx, "/v1/voters", voters); err != nil {
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
