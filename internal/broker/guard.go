package broker

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"

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

const apiVersions = 18

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
type guardConn struct {
	net.Conn
	g    *guard
	once sync.Once

	head []byte // checked and not passed on yet
	body int    // bytes of the current frame that follow
}

func (c *guardConn) Close() error {
	c.once.Do(func() {
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
		_ = c.Close()
		return 0, err
	}
	c.head, c.body = head, body
	return c.Read(p)
}

// nextFrame reads and checks the head of a frame: its length, API key and version.
// body is how many bytes follow it.
func nextFrame(r io.Reader) (head []byte, body int, err error) {
	head = make([]byte, 8)
	if _, err := io.ReadFull(r, head); err != nil {
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
	if version <= highest {
		return head, int(size) - 4, nil
	}
	if key != apiVersions || size > maxHello {
		return nil, 0, errFrame
	}
	// A newer client's first request, in a form we do not pass on. It must be answered
	// with the versions there are: what goes on in its place is an empty one with its
	// correlation id, which kfake answers as Kafka does.
	rest := make([]byte, size-4)
	if _, err := io.ReadFull(r, rest); err != nil {
		return nil, 0, err
	}
	hello := []byte{0, 0, 0, 0, 0, apiVersions, 0, 3}
	hello = append(hello, rest[:4]...)                  // correlation id
	hello = append(hello, 0xff, 0xff, 0, 0x01, 0x01, 0) // no client id, no tags, no name, no version, no tags
	binary.BigEndian.PutUint32(hello, uint32(len(hello)-4))
	return hello, 0, nil
}
