package doyen

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	quiet    = 15 * time.Second // three times the daemon's keep-alive: who says nothing for so long is gone
	pauseMin = 100 * time.Millisecond
	pauseMax = 2 * time.Second
	lineMax  = bodyMax
)

// Event is something that happened, as proto/control.md lists it for /v1/events.
type Event struct {
	Kind   string // "snapshot", "joined", "gone", "acting" and so on; "away": the daemon is; "gap"
	Resume string // Watch goes on from here
	Text   string // for people
	Name   string // the member that it is about, if it is about one
	View   *View  // with "snapshot" and "gap"
	Diff   *Diff  // with "gap": what was not told; nil: not known
	Data   json.RawMessage
}

// Watch is everything that happens from some moment on, over restarts of the daemon:
//
//	watch := client.Watch(ctx, "")
//	for watch.Next() {
//		fmt.Println(watch.Event().Text)
//	}
//	return watch.Err()
type Watch struct {
	client  *Client
	ctx     context.Context
	resume  string
	members map[string]Member // by ID; nil: not known
	gap     *told
	met     bool // the daemon was there before
	away    bool // that it is away was told
	pause   time.Duration
	stream  *stream
	waiting []Event
	event   Event
	err     error
}

// Watch begins with a snapshot; with the Resume of an earlier event, or of a view, with what came
// after it. It ends with the context.
func (c *Client) Watch(ctx context.Context, resume string) *Watch {
	w := &Watch{client: c, ctx: ctx, resume: resume, met: resume != "", pause: pauseMin}
	w.err = firstOf(givenContext(ctx), givenToken("resume", resume))
	return w
}

// Next waits for the next event. It returns false when the watch has ended: see Err.
func (w *Watch) Next() bool {
	for w.err == nil {
		if len(w.waiting) > 0 {
			w.event, w.waiting = w.waiting[0], w.waiting[1:]
			return true
		}
		w.step()
	}
	return false
}

// Event is the one that Next found.
func (w *Watch) Event() Event { return w.event }

// Err says why the watch has ended: the context's error, or what no other try can mend.
func (w *Watch) Err() error { return w.err }

func (w *Watch) step() {
	var next told
	var err error
	if w.stream == nil {
		w.gap = nil
		w.stream, err = w.client.events(w.ctx, w.resume)
	}
	if err == nil {
		if next, err = w.stream.next(); err == nil {
			w.take(next)
			return
		}
		w.stream.close()
		w.stream = nil
	}
	if w.ctx.Err() != nil {
		w.err = w.ctx.Err()
	} else if !passes(err, !w.met) {
		w.err = err
	} else {
		if !w.away {
			w.waiting = append(w.waiting, Event{Kind: "away", Resume: w.resume, Text: err.Error()})
			w.away = true
			return // It is told before the pause.
		}
		sleep(w.ctx, w.pause)
		if w.pause *= 2; w.pause > pauseMax {
			w.pause = pauseMax
		}
	}
}

func (w *Watch) take(next told) {
	w.met, w.away, w.pause = true, false, pauseMin
	if next.kind == "gap" {
		w.gap = &next // Told together with the snapshot that comes next.
		return
	}
	if next.id != "" {
		w.resume = next.id
	}
	event := w.eventOf(next)
	switch next.kind {
	case "snapshot":
		w.snapshot(next, event)
		return
	case "joined", "gone":
		w.note(next)
	}
	w.waiting = append(w.waiting, event)
}

func (w *Watch) eventOf(next told) Event {
	var said struct{ Text, Name string }
	_ = json.Unmarshal(next.data, &said)
	return Event{Kind: next.kind, Resume: w.resume, Text: said.Text, Name: said.Name, Data: next.data}
}

func (w *Watch) snapshot(next told, event Event) {
	view := &View{}
	if err := json.Unmarshal(next.data, view); err != nil {
		w.err = senseless(w.client.control, err.Error())
		return
	}
	event.View = view
	if w.gap != nil {
		gap := w.eventOf(*w.gap)
		gap.View = view
		if w.members != nil {
			gap.Diff = diffOf(w.members, view)
		}
		w.gap = nil
		w.waiting = append(w.waiting, gap)
	}
	w.members = map[string]Member{}
	for _, member := range view.Members {
		w.members[member.ID] = member
	}
	w.waiting = append(w.waiting, event)
}

func (w *Watch) note(next told) {
	var member Member
	if w.members == nil || json.Unmarshal(next.data, &member) != nil {
		return
	}
	if next.kind == "joined" {
		w.members[member.ID] = member
	} else {
		delete(w.members, member.ID)
	}
}

// --- A stream of server-sent events ---

type told struct {
	id, kind string
	data     json.RawMessage
}

type stream struct {
	client *Client
	ctx    context.Context
	cancel context.CancelFunc
	body   io.ReadCloser
	lines  *bufio.Scanner
	alarm  *time.Timer
}

func (c *Client) events(ctx context.Context, resume string) (*stream, error) {
	header := http.Header{"Accept": {"text/event-stream"}}
	if resume != "" {
		header.Set("Last-Event-ID", resume)
	}
	limited, cancel := context.WithCancel(ctx)
	alarm := time.AfterFunc(requestTime, cancel)
	response, err := c.open(limited, http.MethodGet, "/v1/events", nil, header)
	if err != nil {
		alarm.Stop()
		cancel()
		if ctx.Err() == nil && errors.Is(err, context.Canceled) {
			return nil, silent(c.control, requestTime)
		}
		return nil, c.explain(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, bodyMax))
		response.Body.Close()
		alarm.Stop()
		cancel()
		if response.StatusCode == http.StatusBadRequest && resume != "" {
			return nil, noToken("resume", resume)
		}
		return nil, c.refusal(response.StatusCode, text)
	}
	s := &stream{client: c, ctx: ctx, cancel: cancel, body: response.Body, alarm: alarm}
	s.lines = bufio.NewScanner(response.Body)
	s.lines.Buffer(nil, lineMax)
	return s, nil
}

func (s *stream) close() {
	s.alarm.Stop()
	s.cancel()
	s.body.Close()
}

// next returns the next event; an error when the daemon went away, or said nothing for too long.
func (s *stream) next() (told, error) {
	fields := map[string]string{}
	for s.alarm.Reset(quiet); s.lines.Scan(); s.alarm.Reset(quiet) {
		line := s.lines.Text()
		if line != "" {
			name, value, _ := strings.Cut(line, ":")
			fields[name] = strings.TrimPrefix(value, " ")
			continue
		}
		if data, known := fields["data"]; known {
			if !json.Valid([]byte(data)) {
				return told{}, senseless(s.client.control, "an event without JSON")
			}
			return told{fields["id"], fields["event"], json.RawMessage(data)}, nil
		}
		fields = map[string]string{}
	}
	if s.ctx.Err() != nil {
		return told{}, s.ctx.Err()
	}
	if errors.Is(s.lines.Err(), context.Canceled) {
		return told{}, silent(s.client.control, quiet)
	}
	return told{}, failure(Unreachable, "the daemon at %s went away", s.client.control)
}
