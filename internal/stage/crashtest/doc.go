// Package crashtest proves the promise of the stream by killing it. It holds tests
// only.
//
// A parent hosts the broker and plays the sender, who sends again what nobody
// acknowledged. A child is the pipeline: a door that stores, records and
// acknowledges, the relay, a detector and a context stage. It kills itself with
// SIGKILL at a named point, and is started again. The detector's verdict is random on
// purpose: a replay decides otherwise, and only what the ledger keeps may count.
//
// Afterwards the topics are compared with the ledger: nothing acknowledged is lost,
// no effect happened twice, and nothing was published that the ledger does not say.
// Three wrong orders of effects are run as controls; they must be found out, or the
// suite proves nothing.
//
//	go test ./internal/stage/crashtest -v -kills=3
//
// With STOPLOG_TEST_KAFKA (a bootstrap address) and STOPLOG_TEST_POSTGRES (a
// superuser's URL) the same runs against real servers.
package crashtest
