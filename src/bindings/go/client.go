// Package doyen asks the doyend of this host: who is in, who coordinates, may this process act now?
//
// A Client is safe for use by several goroutines. It holds no connection but that of the lease page,
// once Acting was called; Close lets go of it. Every call takes a context, and ends with an *Error
// that says what stands in the way, or with that of the context.
package doyen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	requestTime = 5 * time.Second // within which an answer is there
	pause       = 100 * time.Millisecond
	lookAgain   = time.Second // the right to act and the freshness of a guard also end by the clock
	askAgain    = 2 * time.Second
	bodyMax     = 64 << 20
)

// Options say which daemon to ask. The zero value is the only one of this host.
type Options struct {
	Control    string // its control socket; "": DOYEN_CONTROL, else the only one there is
	ExpectUser string // the account that it runs as, besides one's own and root; "": DOYEN_EXPECT_USER
}

// Client asks one doyend.
type Client struct {
	control  string
	expected int
	http     *http.Client

	linking sync.Mutex
	link    *link // for Acting
}

// New returns a client. It connects to nothing yet.
func New(options Options) (*Client, error) {
	control, err := find(options.Control)
	if err != nil {
		return nil, err
	}
	expected, err := account(options.ExpectUser)
	if err != nil {
		return nil, err
	}
	c := &Client{control: control, expected: expected}
	c.http = &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return c.connect(ctx)
		},
	}}
	return c, nil
}

// Control returns the path of the control socket.
func (c *Client) Control() string { return c.control }

// Close lets go of the lease page. A hand-over that waits for this client goes on.
func (c *Client) Close() {
	c.linking.Lock()
	defer c.linking.Unlock()
	if c.link != nil {
		c.link.close()
		c.link = nil
	}
}

// Get asks for the document of any resource that proto/control.md lists, such as /v1/status, and
// decodes it into what `into` points to.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	var document json.RawMessage
	if err := firstOf(givenContext(ctx), givenPath("path", path), givenPointer("into", into)); err != nil {
		return err
	}
	if err := c.read(ctx, path, &document); err != nil {
		return err
	}
	if err := json.Unmarshal(document, into); err != nil {
		return wrong("into", typeOf(into), fmt.Sprintf("the document of %s does not fit there (%v)", path, err))
	}
	return nil
}

func (c *Client) read(ctx context.Context, path string, into any) error {
	return c.ask(ctx, http.MethodGet, path, nil, into)
}

func (c *Client) ask(ctx context.Context, method, path string, body, into any) error {
	if err := givenContext(ctx); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	response, err := c.open(limited, method, path, body, nil)
	if err != nil {
		return c.explain(ctx, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, bodyMax+1))
	if err != nil {
		return c.explain(ctx, err)
	}
	if len(text) > bodyMax {
		return senseless(c.control, "it has no end")
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return c.refusal(response.StatusCode, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return senseless(c.control, err.Error())
	}
	return nil
}

// open returns the answer when its head is there.
func (c *Client) open(ctx context.Context, method, path string, body any, header http.Header) (*http.Response, error) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, failure(Usage, "%v", err)
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://doyen"+path, reader)
	if err != nil {
		return nil, failure(Usage, "%v", err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("User-Agent", "doyen-go")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return c.http.Do(request)
}

// explain says what the error of a request means: that of the context of the caller, if it is over.
func (c *Client) explain(ctx context.Context, err error) error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return silent(c.control, requestTime)
	}
	return unreachable(c.control, err)
}

func (c *Client) refusal(status int, text []byte) error {
	var problem struct{ Title, Detail, Hint string }
	told := fmt.Sprintf("%s answered with HTTP status %d; is it an older doyend?", c.control, status)
	if json.Unmarshal(text, &problem) == nil && problem.Title != "" {
		told = problem.Title
		if problem.Detail != "" {
			told += ": " + problem.Detail
		}
		if problem.Hint != "" {
			told += "; " + problem.Hint
		}
	}
	return failure(Refused, "%s", told)
}

// View returns who is in and who coordinates, as this node knows it.
func (c *Client) View(ctx context.Context) (*View, error) {
	view := &View{}
	if err := c.read(ctx, "/v1/members", view); err != nil {
		return nil, err
	}
	return view, nil
}

// Leader returns whom an election found; nil: this node knows none.
func (c *Client) Leader(ctx context.Context) (*Leader, error) {
	leader := &Leader{}
	if err := c.read(ctx, "/v1/leader", leader); err != nil || leader.Name == "" {
		return nil, err
	}
	return leader, nil
}

// Wait waits until all of the conditions hold, also while the daemon is away. When the context is
// over first, the error is an *Error of TimedOut or the context's own, and says what was missing.
func (c *Client) Wait(ctx context.Context, conditions Conditions) (*View, error) {
	if err := firstOf(givenContext(ctx), conditions.check()); err != nil {
		return nil, err
	}
	missing := ""
	for {
		view, err := c.View(ctx)
		if err == nil {
			if missing = conditions.missing(view); missing == "" {
				return view, nil
			}
			err = c.sleepUntilEvent(ctx, view.Resume)
		}
		if ctx.Err() != nil {
			return nil, tooLate(ctx, missing)
		}
		if err != nil {
			if !passes(err, false) {
				return nil, err
			}
			missing = err.Error()
			sleep(ctx, pause)
		}
	}
}

// tooLate is the error of a context that is over while something was missing.
func tooLate(ctx context.Context, missing string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && missing != "" {
		return failure(TimedOut, "timed out: %s", missing)
	}
	return ctx.Err()
}

// SetTags gives tags of this node other values and waits until the view shows them; a nil value
// takes a tag away.
func (c *Client) SetTags(ctx context.Context, tags map[string]*string) (*View, error) {
	if err := firstOf(givenContext(ctx), givenTags("tags", tags)); err != nil {
		return nil, err
	}
	wanted := struct {
		Set   map[string]string `json:"set"`
		Unset []string          `json:"unset"`
	}{Set: map[string]string{}, Unset: []string{}}
	for key, value := range tags {
		if value == nil {
			wanted.Unset = append(wanted.Unset, key)
		} else {
			wanted.Set[key] = *value
		}
	}
	ask := func() error { return c.ask(ctx, http.MethodPost, "/v1/tags", wanted, &struct{}{}) }
	shown := func(view *View) bool { return shows(view.Member(view.Node), tags) }
	return c.bringAbout(ctx, ask, shown, "the view does not show the tags; is there a coordinator?")
}

// bringAbout asks, again and again, until the view shows it: a node that finds no coordinator gives up
// after a while.
func (c *Client) bringAbout(ctx context.Context, ask func() error, shown func(*View) bool, missing string) (*View, error) {
	var asked time.Time
	for {
		if time.Since(asked) >= askAgain {
			asked = time.Now()
			if err := ask(); err != nil {
				return nil, err
			}
		}
		view, err := c.View(ctx)
		if err != nil {
			return nil, err
		}
		if shown(view) {
			return view, nil
		}
		if err := c.sleepUntilEvent(ctx, view.Resume); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, tooLate(ctx, missing)
		}
	}
}

func shows(member *Member, tags map[string]*string) bool {
	if member == nil {
		return false
	}
	for key, value := range tags {
		held, known := member.Tags[key]
		if known != (value != nil) || (value != nil && held != *value) {
			return false
		}
	}
	return true
}

// sleepUntilEvent sleeps until something happens after `resume`, for a second at the most.
func (c *Client) sleepUntilEvent(ctx context.Context, resume string) error {
	limited, cancel := context.WithTimeout(ctx, lookAgain)
	defer cancel()
	stream, err := c.events(limited, resume)
	if err == nil {
		_, err = stream.next()
		stream.close()
	}
	if limited.Err() != nil {
		return nil
	}
	return err
}

// sleep returns early when the context is over.
func sleep(ctx context.Context, duration time.Duration) {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
