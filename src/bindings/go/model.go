package doyen

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// number64 is a number of 64 bits, which doyend writes as text; known is false for null.
type number64 struct {
	value uint64
	known bool
}

func (n *number64) UnmarshalJSON(text []byte) error {
	var word *string
	if err := json.Unmarshal(text, &word); err != nil || word == nil {
		return err
	}
	value, err := strconv.ParseUint(*word, 10, 64)
	*n = number64{value, err == nil}
	return err
}

// Member is one life of a member. Who starts again is another one, with another ID and age. Of
// members that are told by an event alone only Name, ID, Address and Age are known.
type Member struct {
	Name        string            `json:"name"`
	ID          string            `json:"id"`
	Address     string            `json:"address"`
	Age         uint64            `json:"age"`
	Incarnation uint64            `json:"incarnation,string"`
	State       string            `json:"state"` // "alive" or "suspect"
	Silent      bool              `json:"silent"`
	Behind      bool              `json:"behind"` // it does not get the view that the others hold
	Coordinator bool              `json:"coordinator"`
	Drained     bool              `json:"drained"`
	HeardMS     *int64            `json:"heard_ms"` // since its last sign of life; nil: not known
	Tags        map[string]string `json:"tags"`
}

// Gone is a former member that is still remembered.
type Gone struct {
	Name    string `json:"name"`
	ID      string `json:"id"`
	Address string `json:"address"`
	Age     uint64 `json:"age"`
	State   string `json:"state"`   // "left" or "failed"
	Reason  string `json:"reason"`  // "failed", "left", "moved", "replaced" or "behind"
	Verdict string `json:"verdict"` // "dead", "lost", "stalled", or "" without one
	SinceMS int64  `json:"since_ms"`
}

// Guard says how many members have to be there, and whether they are.
type Guard struct {
	Policy string `json:"policy"`
	Needed int    `json:"needed"`
	Fresh  int    `json:"fresh"`
	Met    bool   `json:"met"`
}

// View is who is in, oldest first, and who coordinates, as one node knew it at one moment.
type View struct {
	Cluster     string
	Node        string // the name of the node that was asked
	Phase       string // "joining", "member", "leaving" or "stopped"
	Epoch       uint64
	Version     uint64 // 0: the node holds no view yet
	Coordinator string // its name; "": there is none to be named
	Acting      bool   // this node acted then; to act, see Client.Acting and Client.Leading
	ActingMS    int64
	Exclusive   bool // the guard rules out that two act at once
	Guard       Guard
	Members     []Member
	Gone        []Gone
	Resume      string // Client.Watch goes on from here

	// ActingSaidMS is how long ago the coordinator last said that it acts; nil: nobody is known to act.
	ActingSaidMS *int64
}

// Member returns the member of this name, or nil.
func (v *View) Member(name string) *Member {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i]
		}
	}
	return nil
}

// UnmarshalJSON takes a document of /v1/members, or a snapshot.
func (v *View) UnmarshalJSON(text []byte) error {
	var document struct {
		Cluster     string   `json:"cluster"`
		Self        string   `json:"self"`
		Phase       string   `json:"phase"`
		Epoch       number64 `json:"epoch"`
		Coordinator string   `json:"coordinator"`
		Acting      bool     `json:"acting"`
		ActingMS    int64    `json:"acting_ms"`
		ActingIs    string   `json:"acting_is"`
		ActingSaid  *int64   `json:"acting_said_ms"`
		Guard       Guard    `json:"guard"`
		Members     []Member `json:"members"`
		Gone        []Gone   `json:"gone"`
		Cursor      string   `json:"cursor"`
		View        struct {
			Version number64 `json:"version"`
		} `json:"view"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	if document.Self == "" || !document.Epoch.known || document.ActingIs == "" {
		return fmt.Errorf("no view of a node")
	}
	*v = View{
		Cluster: document.Cluster, Node: document.Self, Phase: document.Phase,
		Epoch: document.Epoch.value, Version: document.View.Version.value,
		Coordinator: document.Coordinator, Acting: document.Acting, ActingMS: document.ActingMS,
		Exclusive: document.ActingIs == "exclusive", Guard: document.Guard, Members: document.Members,
		Gone: document.Gone, Resume: document.Cursor, ActingSaidMS: document.ActingSaid,
	}
	return nil
}

// Leader is whom an election found (doyend --algorithm); advisory.
type Leader struct {
	Name      string `json:"leader"`
	ID        string `json:"leader_id"`
	Address   string `json:"leader_address"`
	Algorithm string `json:"algorithm"`
	Self      string `json:"self"` // the node that was asked
}

// Diff is what changed while nobody told.
type Diff struct {
	Joined    []Member
	Gone      []Member
	Restarted []Member
}

func diffOf(before map[string]Member, after *View) *Diff {
	diff := &Diff{}
	former := map[string]bool{}
	for _, member := range before {
		former[member.Name] = true
		if after.Member(member.Name) == nil {
			diff.Gone = append(diff.Gone, member)
		}
	}
	for _, member := range after.Members {
		if _, known := before[member.ID]; known {
			continue
		}
		if former[member.Name] {
			diff.Restarted = append(diff.Restarted, member)
		} else {
			diff.Joined = append(diff.Joined, member)
		}
	}
	return diff
}

// Conditions are what Client.Wait waits for; all that are set have to hold at once. The node has to
// be a member in any case.
type Conditions struct {
	Members     int    // so many members, with Tag if that is set; 0: any number
	AtLeast     bool   // or more; with Members alone
	Name        string // a member of this name, with Tag if that is set
	Gone        string // no member of this name
	Coordinator string // the coordinator's name
	Acting      bool   // the node acts
	GuardMet    bool
	Tag         string // "key" or "key=value": with neither Members nor Name, some member has it
}

func (m *Member) has(tag string) bool {
	key, value, valued := strings.Cut(tag, "=")
	held, known := m.Tags[key]
	return tag == "" || (known && (!valued || held == value))
}

// missing says what does not hold yet; "" when everything does.
func (c *Conditions) missing(view *View) string {
	var faults []string
	add := func(lacks bool, format string, arguments ...any) {
		if lacks {
			faults = append(faults, fmt.Sprintf(format, arguments...))
		}
	}
	count := 0
	for i := range view.Members {
		if view.Members[i].has(c.Tag) {
			count++
		}
	}
	chosen := view.Member(c.Name)
	few := c.Members > 0 && count != c.Members && !(c.AtLeast && count > c.Members)
	having, more := "", ""
	if c.Tag != "" {
		having = " with " + c.Tag
	}
	if c.AtLeast {
		more = " or more"
	}
	coordinator := view.Coordinator
	if coordinator == "" {
		coordinator = "not known"
	}
	add(view.Phase != "member", "%s is in phase %s", view.Node, view.Phase)
	add(few, "%d members%s where %d%s are waited for", count, having, c.Members, more)
	add(c.Tag != "" && c.Members == 0 && c.Name == "" && count == 0, "no member has the tag %s", c.Tag)
	add(chosen != nil && !chosen.has(c.Tag), "%s has not the tag %s", c.Name, c.Tag)
	add(c.Name != "" && chosen == nil, "%s is not a member", c.Name)
	add(c.Gone != "" && view.Member(c.Gone) != nil, "%s is a member", c.Gone)
	add(c.Coordinator != "" && c.Coordinator != view.Coordinator, "the coordinator is %s", coordinator)
	add(c.Acting && !view.Acting, "%s is not acting", view.Node)
	add(c.GuardMet && !view.Guard.Met, "the guard is not met")
	return strings.Join(faults, ", ")
}
