package broker

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// maxFrame bounds a request. A length prefix of the protocol can claim 4 GiB, and
// kfake allocates what is claimed.
const maxFrame = 16 << 20

// maxConns bounds connections, and with maxFrame the memory that half-sent requests
// can claim. A process with all stages uses about a hundred.
const maxConns = 512

var errFrame = errors.New("broker: malformed request frame")

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

	head [8]byte // length, API key, version
	have int     // bytes of head that are checked and not passed on yet start at sent
	sent int
	body int // bytes of the current frame that follow the head
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
	if c.sent < c.have {
		n := copy(p, c.head[c.sent:c.have])
		c.sent += n
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
	c.have, c.sent = 0, 0
	if _, err := io.ReadFull(c.Conn, c.head[:]); err != nil {
		_ = c.Close()
		return 0, err
	}
	size := binary.BigEndian.Uint32(c.head[:4])
	key := int16(binary.BigEndian.Uint16(c.head[4:6]))
	version := int16(binary.BigEndian.Uint16(c.head[6:8]))
	if !wellFormed(size, key, version) {
		_ = c.Close()
		return 0, errFrame
	}
	c.have, c.body = len(c.head), int(size)-4
	return c.Read(p)
}

// wellFormed reports whether kfake can be given a frame with this head. The header
// that follows key and version is at least a correlation id and a client id's
// length.
func wellFormed(size uint32, key, version int16) bool {
	if size < 10 || size > maxFrame || version < 0 {
		return false
	}
	req := kmsg.RequestForKey(key)
	return req != nil && version <= req.MaxVersion()
}
