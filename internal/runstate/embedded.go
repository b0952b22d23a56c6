package runstate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// StartEmbedded starts an in-process Redis on a free loopback port and gives its
// URL. It keeps nothing over a restart, which is what [Cache] is made for. It has a
// random password: any other user of the machine could otherwise reach the port
// and lower a run's class.
func StartEmbedded(ctx context.Context) (url string, stop func(), err error) {
	m := miniredis.NewMiniRedis()
	password := token() + token()
	m.RequireAuth(password)
	if err := m.StartAddr("127.0.0.1:0"); err != nil {
		return "", nil, errors.New("runstate: no embedded Redis: no loopback port could be opened")
	}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() { // it expires keys only when it is told that time passes
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for last := time.Now(); ; {
			select {
			case <-ctx.Done():
				m.Close()
				return
			case now := <-tick.C:
				m.FastForward(now.Sub(last))
				last = now
			}
		}
	})
	return "redis://:" + password + "@" + m.Addr() + "/0", func() { cancel(); done.Wait() }, nil
}
