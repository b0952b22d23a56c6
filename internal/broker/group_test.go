package broker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// member is a group member's connection, spoken by hand: a library neither dies at
// the moment that is wanted nor waits for an answer it did not ask for.
type member struct {
	net.Conn
	format *kmsg.RequestFormatter
	corr   int32
	id     string
	gen    int32
}

func dialMember(addr string) (*member, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &member{Conn: c, format: kmsg.NewRequestFormatter()}, c.SetDeadline(time.Now().Add(time.Minute))
}

func (m *member) send(req kmsg.Request) error {
	m.corr++
	_, err := m.Write(m.format.AppendRequest(nil, req, m.corr))
	return err
}

func (m *member) receive(resp kmsg.Response) error {
	head := make([]byte, 8)
	if _, err := io.ReadFull(m, head); err != nil {
		return err
	}
	body := make([]byte, binary.BigEndian.Uint32(head)-4)
	if _, err := io.ReadFull(m, body); err != nil {
		return err
	}
	return resp.ReadFrom(body)
}

func (m *member) ask(req kmsg.Request) (kmsg.Response, error) {
	resp := req.ResponseKind()
	return resp, errors.Join(m.send(req), m.receive(resp))
}

// join asks to join as kafka-go does; joined takes the answer, which comes when every
// member the broker knows of has asked, or is gone.
func (m *member) join(group string) error {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Version, req.Group, req.MemberID, req.ProtocolType = 1, group, m.id, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 3000, 3000
	req.Protocols = []kmsg.JoinGroupRequestProtocol{{Name: "range"}}
	return m.send(req)
}

func (m *member) joined() error {
	resp := kmsg.NewPtrJoinGroupResponse()
	resp.Version = 1
	if err := m.receive(resp); err != nil {
		return err
	}
	m.id, m.gen = resp.MemberID, resp.Generation
	return kerr.ErrorForCode(resp.ErrorCode)
}

// sync gives every partition to nobody. Its answer waits for the one who leads.
func (m *member) sync(group string) error {
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.MemberID, req.Generation = group, m.id, m.gen
	return m.send(req)
}

func (m *member) beat(group string) error {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.Generation = group, m.id, m.gen
	resp, err := m.ask(req)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.(*kmsg.HeartbeatResponse).ErrorCode)
}

// untilRebalance sends the heartbeats of a member until the broker asks it to join
// again: another one has come or gone.
func untilRebalance(m *member, group string, most time.Duration) error {
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err := m.beat(group); errors.Is(err, kerr.RebalanceInProgress) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return fmt.Errorf("the broker asks nobody to join again in %v", most)
}

func (m *member) leave(group string) error {
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group, req.MemberID = group, m.id
	_, err := m.ask(req)
	return err
}

// TestJoinOfADeadMember: a process that dies while it waits to join leaves the group
// when its session runs out, like any other. A member that never goes keeps its
// partitions, and nobody reads them any more.
func TestJoinOfADeadMember(t *testing.T) {
	b := start(t, Options{Dir: t.TempDir(), NoSync: true})
	const groups = 32 // who leads, and whether the broker tells the dead, is chance
	var all sync.WaitGroup
	var late atomic.Int64
	for i := range groups {
		all.Go(func() {
			switch err := joinBesideTheDead(b.Addr(), fmt.Sprint("group", i)); {
			case errors.Is(err, kerr.UnknownMemberID):
				late.Add(1) // the machine stood still for a session: the living went too
			case err != nil:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if late.Load() == groups {
		t.Error("no group was seen to its end")
	}
}

func joinBesideTheDead(addr, group string) error {
	var ms [4]*member
	for i := range ms {
		m, err := dialMember(addr)
		if err != nil {
			return err
		}
		defer m.Close()
		ms[i] = m
	}
	first, dead, last, pulse := ms[0], ms[1], ms[2], ms[3]
	if err := errors.Join(first.join(group), first.joined(), first.sync(group), first.receive(kmsg.NewPtrSyncGroupResponse())); err != nil {
		return fmt.Errorf("the first member: %w", err)
	}
	// The next two wait for the first to join again; one of them dies meanwhile.
	if err := dead.join(group); err != nil {
		return err
	}
	if err := untilRebalance(first, group, time.Minute); err != nil {
		return fmt.Errorf("the first member: %w", err)
	}
	_ = dead.Close()
	if err := last.join(group); err != nil {
		return err
	}
	time.Sleep(100 * time.Millisecond) // the broker sees the end of the one and the wish of the other
	if err := first.leave(group); err != nil {
		return err
	}
	if err := last.joined(); err != nil {
		return fmt.Errorf("the last member: %w", err)
	}
	pulse.id, pulse.gen = last.id, last.gen
	if err := last.sync(group); err != nil {
		return err
	}
	if err := untilRebalance(pulse, group, 20*time.Second); err != nil {
		return fmt.Errorf("%s: the last member, waiting for the dead one to go: %w", group, err)
	}
	return nil
}
