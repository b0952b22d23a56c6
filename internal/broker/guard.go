package broker

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kversion"
)

// maxFrame bounds a request. A length prefix of the protocol can claim 4 GiB, and
// kfake allocates what is claimed.
const maxFrame = 16 << 20

// maxConns bounds connections, and with maxFrame the memory that half-sent requests
// can claim. A process with all stages uses about a hundred.
const maxConns = 512

// maxHello bounds an ApiVersions request of a newer kind, which is not passed on.
const maxHello = 4 << 10

// The API keys that are looked at.
const (
	keyJoinGroup   = 11
	keyApiVersions = 18
)

// joinWait bounds how long the end of a connection is kept from the broker because a
// join on it is not answered. Joins are answered when the group's rebalance timeout has
// run out, at the latest; five minutes is the longest that is in use.
const joinWait = 6 * time.Minute

var errFrame = errors.New("broker: malformed request frame")

// served is what the broker speaks: Kafka 2.3, the last release before requests had
// tagged fields. The parser counts through as many of those as a request claims to
// have, so that a dozen bytes would keep a processor busy for a minute, on a goroutine
// that nothing stops.
var served = kversion.V2_3_0()

// guard lets only well-formed frames through to kfake, where one with an unknown
// API key is a nil dereference on a goroutine nobody recovers: every process on
// this machine that can open a socket could end the broker, and us with it.
type guard struct {
	net.Listener
	mu    sync.Mutex
	conns int
}

func (g *guard) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g.mu.Lock()
		full := g.conns >= maxConns
		if !full {
			g.conns++
		}
		g.mu.Unlock()
		if full {
			_ = c.Close()
			continue
		}
		return &guardConn{Conn: c, g: g}, nil
	}
}

// guardConn checks each frame's head before any byte of it is passed on. Reads come
// from one goroutine.
//
// It also holds the end of a connection back while a join on it waits for the other
// members. kfake starts a member's session clock when it has answered the join, and not
// when it finds the connection closed by then: the member stays for good, and nobody
// reads the partitions that the group gives it. With the end held back it is answered,
// and goes when its session runs out.
type guardConn struct {
	net.Conn
	g    *guard
	once sync.Once

	head []byte // checked and not passed on yet
	body int    // bytes of the current frame that follow

	mu      sync.Mutex
	closed  bool
	joining chan struct{} // of a join that was passed on: closed with its answer. Nil: none waits
	join    [4]byte       // its correlation id
}

// passJoin notes a join that is passed on.
func (c *guardConn) passJoin(id []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.joining, c.join = make(chan struct{}), [4]byte(id)
	}
}

// joined notes that no answer is waited for any more. It wants the lock held.
func (c *guardConn) joined() {
	if c.joining != nil {
		close(c.joining)
		c.joining = nil
	}
}

// Write passes on one response; kfake never splits one.
func (c *guardConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if len(p) >= 8 && [4]byte(p[4:8]) == c.join {
		c.joined()
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// awaitJoin waits for the answer to a join that was passed on, if one is due.
func (c *guardConn) awaitJoin() {
	c.mu.Lock()
	joining := c.joining
	c.mu.Unlock()
	if joining == nil {
		return
	}
	t := time.NewTimer(joinWait)
	defer t.Stop()
	select {
	case <-joining:
	case <-t.C:
	}
}

func (c *guardConn) Close() error {
	c.once.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.joined()
		c.mu.Unlock()
		c.g.mu.Lock()
		c.g.conns--
		c.g.mu.Unlock()
	})
	return c.Conn.Close()
}

func (c *guardConn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(c.head) > 0 {
		n := copy(p, c.head)
		c.head = c.head[n:]
		return n, nil
	}
	if c.body > 0 {
		if len(p) > c.body {
			p = p[:c.body]
		}
		n, err := c.Conn.Read(p)
		c.body -= n
		return n, err
	}
	head, body, err := nextFrame(c.Conn)
	if err != nil {
		c.awaitJoin()
		_ = c.Close()
		return 0, err
	}
	if binary.BigEndian.Uint16(head[4:6]) == keyJoinGroup {
		c.passJoin(head[8:])
	}
	c.head, c.body = head, body
	return c.Read(p)
}

// nextFrame reads the head of a frame, its length, API key, version and correlation id,
// and checks all but the last. body is how many bytes follow it.
func nextFrame(r io.Reader) (head []byte, body int, err error) {
	head = make([]byte, 12)
	if _, err := io.ReadFull(r, head[:8]); err != nil {
		return nil, 0, err
	}
	size := binary.BigEndian.Uint32(head[:4])
	key := int16(binary.BigEndian.Uint16(head[4:6]))
	version := int16(binary.BigEndian.Uint16(head[6:8]))
	if size < 10 || size > maxFrame || version < 0 { // a correlation id and a client id's length follow
		return nil, 0, errFrame
	}
	highest, ok := served.LookupMaxKeyVersion(key)
	if !ok {
		return nil, 0, errFrame
	}
	if _, err := io.ReadFull(r, head[8:]); err != nil {
		return nil, 0, err
	}
	if version <= highest {
		return head, int(size) - 8, nil
	}
	if key != keyApiVersions || size > maxHello {
		return nil, 0, errFrame
	}
	// A newer client's first request, in a form we do not pass on. It must be answered
	// with the versions there are: what goes on in its place is an empty one with its
	// correlation id, which kfake answers as Kafka does.
	if _, err := io.CopyN(io.Discard, r, int64(size)-8); err != nil {
		return nil, 0, err
	}
	hello := []byte{0, 0, 0, 0, 0, keyApiVersions, 0, 3}
	hello = append(hello, head[8:12]...)                // correlation id
	hello = append(hello, 0xff, 0xff, 0, 0x01, 0x01, 0) // no client id, no tags, no name, no version, no tags
	binary.BigEndian.PutUint32(hello, uint32(len(hello)-4))
	return hello, 0, nil
}
