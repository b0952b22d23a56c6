package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
)

func migrateCommand(e *env) *cobra.Command {
	var owner string
	c := &cobra.Command{
		Use: "migrate", GroupID: "setup", Short: "Make or update the schemas in Postgres, as their owner",
		Long: `Make the roles, the ledger's schema and the key store's schema in Postgres, or bring
them to this program's version. It connects as a superuser, or as a role that may create
roles and schemas; the pipeline itself runs as a member of stoplog_writer, which can
neither change nor delete a record. Running it again changes nothing.

The connection string is given by reference, for it holds a password.`,
		Example: "  STOPLOG_OWNER=postgres://postgres@127.0.0.1:5432/stoplog stoplog migrate --owner-dsn env:STOPLOG_OWNER\n  stoplog migrate --owner-dsn file:/run/secrets/owner-dsn",
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if owner == "" {
				return usagef("%s: --owner-dsn is required: env:NAME or file:PATH", cmd.CommandPath())
			}
			dsn, err := new(config.Config).Secret(owner)
			if err != nil {
				return usageError{fmt.Errorf("--owner-dsn: %w", err)}
			}
			if err := ledger.MigratePostgres(cmd.Context(), dsn); err != nil {
				return err
			}
			if err := evidence.MigrateKeysPostgres(cmd.Context(), dsn); err != nil {
				return err
			}
			return e.print(map[string]any{"migrated": []string{"ledger", "evidence"}}, "The schemas of the ledger and of the key store are up to date.\n")
		},
	}
	c.Flags().StringVar(&owner, "owner-dsn", "", "connection string of the owner, as env:NAME or file:PATH")
	return c
}
