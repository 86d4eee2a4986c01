package doyen

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// The page of memory that doyend lends: include/doyen/lease.h says what may be relied on, and
// proto/control.md what it looks like.
const (
	pageMagic     = 0x61654c6e65796f44
	pageLayout    = 2
	pageBytes     = 4096
	pageSequence  = 2 // the word
	pageContent   = 3 // the first word of it
	pageWords     = 18
	pageClock     = 39 // the first of its words
	pageTries     = 1000
	pageLongest   = 2 * time.Hour // no lease is longer
	pageAdvisory  = 1
	clockBoottime = 7
	getSeals      = 1034
	sealShrink    = 2
)

// content is what a page says. Times are nanoseconds of CLOCK_BOOTTIME.
type content struct {
	epoch    uint64
	deadline uint64
	span     time.Duration
	renewal  time.Duration
	flags    uint64
	node     string
}

// Right is the right to act as it was at one moment. What is acted on has to refuse an epoch below the
// highest that it has seen: no process can rule out that it is stopped between looking and acting.
type Right struct {
	Epoch    uint64
	Left     time.Duration // from the moment of the question
	Advisory bool          // the guard cannot rule out that another node acts as well
	Node     string
}

// now is the clock of the page, which goes on while the host sleeps.
func now() uint64 {
	var at syscall.Timespec
	_, _, _ = syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&at)), 0)
	return uint64(at.Nano())
}

// clock says which clock CLOCK_BOOTTIME is here: of which boot, and of which time namespace, 0 where
// the kernel has none.
func clock() ([3]uint64, bool) {
	var words [3]uint64
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return words, false
	}
	boot, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(string(text)), "-", ""))
	if err != nil || len(boot) != 16 {
		return words, false
	}
	for i, b := range boot {
		words[i/8] = words[i/8]<<8 | uint64(b)
	}
	var namespace syscall.Stat_t
	switch err := syscall.Stat("/proc/self/ns/time", &namespace); err {
	case nil:
		words[2] = namespace.Ino
	case syscall.ENOENT:
	default:
		return words, false
	}
	return words, true
}

// page is the page, mapped for reading. It is one daemon's; when that dies, the deadline passes.
type page struct {
	mapped []byte
	words  []uint64
	last   content // that was read
	known  bool
}

// mapPage takes the descriptor over.
func mapPage(fd int, where string) (*page, error) {
	var status syscall.Stat_t
	defer syscall.Close(fd)
	noPage := failure(Refused, "%s lends no lease page that this package can read: is doyend of another version?", where)
	// A page that could shrink could take its reader with it (SIGBUS).
	seals, _, failed := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), getSeals, 0)
	if failed != 0 || seals&sealShrink == 0 || syscall.Fstat(fd, &status) != nil || status.Size < pageBytes {
		return nil, noPage
	}
	mapped, err := syscall.Mmap(fd, 0, pageBytes, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, noPage
	}
	p := &page{mapped: mapped, words: unsafe.Slice((*uint64)(unsafe.Pointer(&mapped[0])), pageBytes/8)}
	if p.words[0] != pageMagic || p.words[1] != pageLayout {
		p.unmap()
		return nil, noPage
	}
	here, told := clock()
	if !told || here != [3]uint64{p.words[pageClock], p.words[pageClock+1], p.words[pageClock+2]} {
		p.unmap()
		return nil, failure(Refused, "the lease page of %s is of another clock, by which this process cannot tell its end: run"+
			" both in one time namespace of one host, with /proc", where)
	}
	return p, nil
}

func (p *page) unmap() {
	if p.mapped != nil {
		_ = syscall.Munmap(p.mapped)
		p.mapped, p.words = nil, nil
	}
}

// read returns all of it, of one moment. There are two copies, of which one is whole at any time. When
// it was written anew during each of many tries, what was read before, which still holds: a right is
// never taken back before its deadline without a word on the connection.
func (p *page) read() (content, bool) {
	if p.mapped == nil {
		return content{}, false
	}
	for i := 0; i < pageTries; i++ {
		var copied [pageWords]uint64
		before := atomic.LoadUint64(&p.words[pageSequence])
		first := pageContent + before%2*pageWords
		for at := range copied {
			copied[at] = atomic.LoadUint64(&p.words[first+uint64(at)])
		}
		if atomic.LoadUint64(&p.words[pageSequence]) == before {
			p.last, p.known = contentOf(&copied), true
			break
		}
	}
	return p.last, p.known
}

func contentOf(words *[pageWords]uint64) content {
	name := unsafe.Slice((*byte)(unsafe.Pointer(&words[8])), 64)
	node, _, _ := bytes.Cut(name, []byte{0})
	return content{
		epoch: words[0], deadline: words[1], span: time.Duration(words[2]), renewal: time.Duration(words[3]),
		flags: words[4], node: strings.ToValidUTF8(string(node), "?"),
	}
}

// left returns for how long the right lasts; 0: there is none. The clock is read after the page.
func (c *content) left() time.Duration {
	at := now()
	if c.deadline <= at || c.deadline-at > uint64(pageLongest) {
		return 0
	}
	return time.Duration(c.deadline - at)
}

// right returns the right to act; nil: there is none.
func (p *page) right() *Right {
	said, known := p.read()
	left := said.left()
	if !known || left == 0 {
		return nil
	}
	return &Right{Epoch: said.epoch, Left: left, Advisory: said.flags&pageAdvisory != 0, Node: said.node}
}
