package doyen

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

const (
	rolesTime  = time.Second // after which a member that was asked is not likely to answer
	rolesPause = 10 * time.Millisecond
)

// Candidate is one client of a member that stands for a role.
type Candidate struct {
	Member    string `json:"member"`
	Request   string `json:"request"` // the ID of this candidature
	Priority  uint32 `json:"priority"`
	Eligible  bool   `json:"eligible"` // its member is not drained, and has the tag that the role needs
	Lacks     string `json:"lacks"`    // that tag; "": it has it
	Value     string `json:"value"`
	Token     uint64 `json:"token,string"` // of one that holds the role, else 0
	HoldingMS int64  `json:"holding_ms"`   // for which it holds the role for certain
	Stopping  bool   `json:"stopping"`     // it has lost the role, and has not stopped yet
}

// RoleState is who holds a role and who waits for it, in the order in which they would hold it.
type RoleState struct {
	Name       string      `json:"role"`
	Policy     string      `json:"policy"`
	MaxHolders int         `json:"max_holders"`
	Need       string      `json:"need"`
	Holders    []Candidate `json:"holders"`
	Candidates []Candidate `json:"candidates"`
}

// Roles is who stands for which role, as each member says of its own clients.
type Roles struct {
	Roles      []RoleState `json:"roles"`
	Advisory   bool        `json:"advisory"`   // the guard does not rule out two holders
	Stale      bool        `json:"stale"`      // who stands at the members of Unanswered is not known
	Unanswered []string    `json:"unanswered"` // they have not said
	Unasked    int         `json:"unasked"`
}

// Role returns the role of this name, or nil: nobody stands for it.
func (r *Roles) Role(name string) *RoleState {
	for i := range r.Roles {
		if r.Roles[i].Name == name {
			return &r.Roles[i]
		}
	}
	return nil
}

// Roles has all members asked who stands for which role, and returns what has come within a second.
func (c *Client) Roles(ctx context.Context) (*Roles, error) {
	path := "/v1/roles?begin"
	for asked := time.Now(); ; {
		roles := &Roles{}
		if err := c.read(ctx, path, roles); err != nil {
			return nil, err
		}
		if roles.Unasked > 0 {
			asked = time.Now()
		}
		if !roles.Stale || time.Since(asked) > rolesTime {
			return roles, nil
		}
		path = "/v1/roles"
		if err := doze(ctx, rolesPause); err != nil {
			return nil, err
		}
	}
}

// Resign has the clients of this node that stand for the role stand for it no more, and returns how
// many they are; who holds it lets go when it has stopped. An Error with Refused says that there are
// none.
func (c *Client) Resign(ctx context.Context, role string) (int, error) {
	var answer struct {
		Resigning int `json:"resigning"`
	}
	if err := firstOf(givenContext(ctx), givenName("role", role)); err != nil {
		return 0, err
	}
	err := c.ask(ctx, http.MethodPost, "/v1/resign?role="+url.QueryEscape(role), nil, &answer)
	return answer.Resigning, err
}
