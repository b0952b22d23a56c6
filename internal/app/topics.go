package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/deploy"
	"github.com/stoplog/stoplog/internal/stage"
)

// applyTopics makes the declared topics on a broker. The embedded one gets them at
// each start; on a real one `stoplog topics apply` does it.
func applyTopics(ctx context.Context, k stage.Kafka, replication int) (stage.TopicsReport, error) {
	topics, err := stage.LoadTopics(deploy.Topics)
	if err != nil {
		return stage.TopicsReport{}, err
	}
	report, err := topics.Apply(ctx, k, replication)
	if err != nil {
		return report, fmt.Errorf("topics: %w", err)
	}
	return report, nil
}

func topicsCommand(e *env) *cobra.Command {
	c := &cobra.Command{Use: "topics", GroupID: "setup", Short: "Make the topics on Kafka", RunE: helpOnly}
	var data, file string
	apply := &cobra.Command{
		Use: "apply", Short: "Create the declared topics that are missing; report what differs",
		Long: `Create the topics of deploy/topics.yaml that are missing on the configured Kafka and
add missing partitions. Settings that differ are reported and left alone; nothing is
ever deleted. Running it again changes nothing.`,
		Example: "  stoplog topics apply --config /etc/stoplog.yaml",
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(file, data)
			if err != nil {
				return err
			}
			if len(cfg.Stores.Kafka) == 0 {
				return errors.New("the configuration names no Kafka; the embedded broker makes its topics by itself")
			}
			r, err := applyTopics(cmd.Context(), stage.Kafka{Brokers: cfg.Stores.Kafka}, cfg.Stores.Replicas)
			if err != nil {
				return err
			}
			text := ""
			for _, t := range r.Created {
				text += "created " + t + "\n"
			}
			for _, t := range r.Grown {
				text += "grown   " + t + "\n"
			}
			for _, d := range r.Different {
				text += "differs " + d.String() + "\n"
			}
			if text == "" {
				text = "All topics are there.\n"
			}
			return e.print(r, "%s", text)
		},
	}
	apply.Flags().StringVar(&data, "data", "stoplog-data", "data directory")
	apply.Flags().StringVar(&file, "config", "", "configuration file (default DATA/stoplog.yaml)")
	c.AddCommand(apply)
	return c
}
