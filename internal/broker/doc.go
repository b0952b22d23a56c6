// Package broker runs a Kafka-protocol broker inside this process, for one machine:
// evaluation, small loads, tests. The stages speak to it over loopback exactly as
// to Apache Kafka, so there is no second code path.
//
// It is franz-go's kfake with a data directory. kfake is a test fake by its
// authors' intent, and what follows from that is made good here: a guard on its
// listener, since one malformed frame would end the process; a lock on its data
// directory, since two brokers on one directory lose records without an error;
// retention on our own clock, since its own is not armed again after a restart; and
// an alarm on what it only logs, a log cut short at start-up. There is no
// replication. The ledger and the vault are the truth; what the broker loses is
// driven again from them.
package broker
