package app

import "github.com/spf13/cobra"

// commands are all commands, in no order: help groups and sorts them.
func commands(e *env) []*cobra.Command {
	return []*cobra.Command{
		demoCommand(e),
		serveCommand(e),
		partCommand(e, "ingest", "Run the door: webhooks, CloudEvents, the outbox relay", parts{ingest: true}),
		partCommand(e, "detector", "Run the injection detector stage", parts{detector: true}),
		partCommand(e, "egress", "Run the guard, contexts, the review queue and the sealer", parts{egress: true}),
		scanCommand(e),
		runsCommand(e),
		auditCommand(e),
		ledgerCommand(e),
		topicsCommand(e),
		loadCommand(e),
		reviewCommand(e),
		sourcesCommand(e),
		rulesCommand(e),
		corpusCommand(e),
		eraseCommand(e),
		holdCommand(e),
		keysCommand(e),
		migrateCommand(e),
		initCommand(e),
		configCommand(e),
		doctorCommand(e),
	}
}
