package doyen

import (
	"context"
	"net/http"
	"net/url"
)

// moved is what a node answers that is asked for a planned move.
type moved struct {
	To   string `json:"to"`
	Node string `json:"node"`
}

func about(path, key, name string) string {
	if name == "" {
		return path
	}
	return path + "?" + key + "=" + url.QueryEscape(name)
}

// Transfer has another member coordinate: the one of this name; "": the oldest other one that can. It
// returns the view that shows it. Nobody leaves: the former coordinator becomes one of the youngest.
// An Error with Refused says that the member cannot coordinate, or is none.
func (c *Client) Transfer(ctx context.Context, name string) (*View, error) {
	if err := firstOf(givenContext(ctx), givenText("name", name)); err != nil {
		return nil, err
	}
	ask := func() error {
		answer := moved{}
		err := c.ask(ctx, http.MethodPost, about("/v1/transfer", "to", name), nil, &answer)
		if err == nil {
			name = answer.To // It is this one from now on.
		}
		return err
	}
	shown := func(view *View) bool { return view.Coordinator == name }
	return c.bringAbout(ctx, ask, shown, "the member does not coordinate")
}

// Drain keeps the member of this name, "": this node, from coordinating while any other can; if it
// coordinates it hands over. It returns the view that shows the mark, which is gone when the member
// starts again. An Error with Refused says that there is no such member.
func (c *Client) Drain(ctx context.Context, name string) (*View, error) {
	return c.mark(ctx, "/v1/drain", name, true)
}

// Undrain lets the member of this name, "": this node, coordinate again; else it is as Drain.
func (c *Client) Undrain(ctx context.Context, name string) (*View, error) {
	return c.mark(ctx, "/v1/undrain", name, false)
}

func (c *Client) mark(ctx context.Context, path, name string, drained bool) (*View, error) {
	if err := firstOf(givenContext(ctx), givenText("name", name)); err != nil {
		return nil, err
	}
	ask := func() error {
		answer := moved{}
		err := c.ask(ctx, http.MethodPost, about(path, "node", name), nil, &answer)
		if err == nil {
			name = answer.Node
		}
		return err
	}
	shown := func(view *View) bool {
		member := view.Member(name)
		return member != nil && member.Drained == drained
	}
	return c.bringAbout(ctx, ask, shown, "the view does not show the mark; is there a coordinator?")
}
