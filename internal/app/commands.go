package app

import "github.com/spf13/cobra"

// commands are all commands, in no order: help groups and sorts them.
func commands(e *env) []*cobra.Command {
	return []*cobra.Command{
		scanCommand(e),
		initCommand(e),
		configCommand(e),
	}
}
