package doyen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	leaseTime = 500 * time.Millisecond // within which an answer about the lease is there
	stopWord  = 'w'
	stopped   = "s"
	headMax   = 8192
	lineBytes = 65536
)

// link is the connection on which a page came: of the right to act, or, where `role` is set, of a
// role, as whose campaign it counts. A goroutine reads what the daemon says there.
type link struct {
	connection *net.UnixConn
	where      string
	role       bool
	since      time.Time

	guard     sync.Mutex
	page      *page
	isOpen    bool
	stopAsked bool
	over      string // why a campaign has ended for good
	line      []byte
	news      chan struct{} // closed when the daemon says something
}

// openLink sends the request and takes the page.
func (c *Client) openLink(ctx context.Context, request string, role bool) (*link, error) {
	limited, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	connection, err := c.connect(limited)
	if err != nil {
		return nil, err
	}
	l := &link{connection: connection, where: c.control, role: role, since: time.Now(), isOpen: true, news: make(chan struct{})}
	deadline, _ := limited.Deadline()
	_ = connection.SetDeadline(deadline)
	if _, err = io.WriteString(connection, request); err == nil {
		err = l.takePage()
	}
	if err != nil {
		connection.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, unreachable(c.control, err)
	}
	_ = connection.SetDeadline(time.Time{})
	go l.listen()
	return l, nil
}

// isToBeRenewed tells whether the daemon has said nothing for so long that it may be stopped. What
// stands for a role hears from it.
func (l *link) isToBeRenewed() bool {
	return !l.role && time.Since(l.since) >= longestSleep
}

// takePage reads until the page has come, which does so behind the head of the answer.
func (l *link) takePage() error {
	said := []byte{}
	control := make([]byte, syscall.CmsgSpace(4))
	for len(said) < headMax {
		part := make([]byte, 4096)
		count, controls, _, _, err := l.connection.ReadMsgUnix(part, control)
		if err != nil {
			return err
		}
		if count == 0 {
			return syscall.ECONNRESET
		}
		said = append(said, part[:count]...)
		if err := l.checkHead(said); err != nil {
			return err
		}
		fd := descriptorIn(control[:controls])
		if fd < 0 {
			continue
		}
		if l.page, err = mapPage(fd, l.where); err != nil {
			return err
		}
		if _, words, whole := bytes.Cut(said, []byte("\r\n\r\n")); whole && l.role {
			l.hear(words)
		}
		return nil
	}
	return senseless(l.where, "a head without end")
}

func descriptorIn(control []byte) int {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil || len(messages) == 0 {
		return -1
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return -1
	}
	for _, fd := range fds[1:] {
		_ = syscall.Close(fd)
	}
	return fds[0]
}

// checkHead returns what an answer other than 101 means.
func (l *link) checkHead(said []byte) error {
	const before = len("HTTP/1.1 ")
	if len(said) < before+3 {
		return nil
	}
	status := string(said[before : before+3])
	if status == "101" {
		return nil
	}
	err := senseless(l.where, "status "+status)
	_, body, _ := bytes.Cut(said, []byte("\r\n\r\n"))
	var problem struct{ Title, Detail, Hint string }
	if json.Unmarshal(body, &problem) == nil && problem.Title != "" {
		err = failure(Refused, "%s: %s; %s", problem.Title, problem.Detail, problem.Hint)
	}
	err.Passing = status == "503"
	return err
}

func (l *link) listen() {
	words := make([]byte, 4096)
	for {
		count, err := l.connection.Read(words)
		l.guard.Lock()
		l.hear(words[:count])
		if err != nil {
			l.isOpen = false
		}
		close(l.news)
		l.news = make(chan struct{})
		l.guard.Unlock()
		if err != nil {
			return
		}
	}
}

func (l *link) hear(words []byte) {
	if !l.role {
		l.stopAsked = l.stopAsked || bytes.IndexByte(words, stopWord) >= 0
		return
	}
	l.line = append(l.line, words...)
	for {
		text, rest, whole := bytes.Cut(l.line, []byte("\n"))
		if !whole {
			break
		}
		l.line = rest
		l.hearLine(text)
	}
	if len(l.line) > lineBytes {
		l.line = nil
	}
}

func (l *link) hearLine(text []byte) {
	var said struct{ Event, Role, Reason, Text string }
	if json.Unmarshal(text, &said) != nil {
		return
	}
	switch said.Event {
	case "lost":
		l.stopAsked = true
	case "ended":
		if strings.Contains(" terms many resigned ", " "+said.Reason+" ") {
			l.over = fmt.Sprintf("%s: %s", said.Role, said.Text)
		}
	}
}

// look returns what the page says, and what to wait on for news.
func (l *link) look() (said content, known, isOpen bool, over string, news <-chan struct{}) {
	l.guard.Lock()
	defer l.guard.Unlock()
	said, known = l.page.read()
	return said, known, l.isOpen, l.over, l.news
}

// sayStopped says that this client acts no more, if it was asked to stop.
func (l *link) sayStopped() {
	l.guard.Lock()
	defer l.guard.Unlock()
	if l.stopAsked && l.isOpen {
		l.stopAsked = false
		_ = l.connection.SetWriteDeadline(time.Now().Add(leaseTime))
		if _, err := io.WriteString(l.connection, stopped); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			l.isOpen = false
		}
	}
}

func (l *link) close() {
	l.connection.Close()
	l.guard.Lock()
	defer l.guard.Unlock()
	l.isOpen = false
	l.page.unmap()
}

// --- The right to act now ---

const leaseRequest = "GET /v1/lease HTTP/1.1\r\nHost: doyen\r\nConnection: Upgrade\r\nUpgrade: doyen-lease\r\n\r\n"

func (c *Client) openLease(ctx context.Context) (*link, error) {
	return c.openLink(ctx, leaseRequest, false)
}

// Acting returns the right of this node to act now; nil: it has none. A look into memory: the daemon
// is not asked, and the answer is right also when it is dead or stopped.
//
// The first call gets the page, and fails where it cannot. Later a daemon that is away means none; one
// that is back lends another page. A planned hand-over waits for the next call that finds none, or for
// Close, but no longer than the last right lasts.
func (c *Client) Acting(ctx context.Context) (*Right, error) {
	if err := givenContext(ctx); err != nil {
		return nil, err
	}
	c.linking.Lock()
	defer c.linking.Unlock()
	if c.link == nil {
		opened, err := c.openLease(ctx)
		if err != nil {
			return nil, err
		}
		c.link = opened
	}
	c.link.guard.Lock()
	right, isOpen := c.link.page.right(), c.link.isOpen
	c.link.guard.Unlock()
	if right != nil {
		return right, nil
	}
	c.link.sayStopped()
	if isOpen {
		return nil, nil
	}
	opened, err := c.openLease(ctx) // Is there another?
	if err != nil {
		return nil, ctx.Err()
	}
	c.link.close()
	c.link = opened
	c.link.guard.Lock()
	defer c.link.guard.Unlock()
	return c.link.page.right(), nil
}
