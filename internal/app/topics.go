package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

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
	c := &cobra.Command{Use: "topics", GroupID: "setup", Short: "List the topics, and make them on Kafka", RunE: helpOnly,
		Example: "  stoplog topics list\n  stoplog topics apply --config /etc/stoplog.yaml"}
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
	list := &cobra.Command{
		Use: "list", Short: "List the declared topics, and which of them the configured Kafka lacks",
		Example: "  stoplog topics list\n  stoplog topics list --config /etc/stoplog.yaml --format json",
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			declared, err := stage.LoadTopics(deploy.Topics)
			if err != nil {
				return err
			}
			var missing []string
			asked := false
			if cfg, err := loadConfig(file, data); err == nil && len(cfg.Stores.Kafka) > 0 {
				if missing, err = declared.Missing(cmd.Context(), stage.Kafka{Brokers: cfg.Stores.Kafka}); err != nil {
					return err
				}
				asked = true
			} else if file != "" && err != nil {
				return err
			}
			return e.listTopics(declared, missing, asked)
		},
	}
	for _, x := range []*cobra.Command{apply, list} {
		x.Flags().StringVar(&data, "data", "stoplog-data", "data directory")
		x.Flags().StringVar(&file, "config", "", "configuration file (default DATA/stoplog.yaml)")
	}
	c.AddCommand(apply, list)
	return c
}

func (e *env) listTopics(declared stage.Topics, missing []string, asked bool) error {
	type topicView struct {
		Name       string `json:"name"`
		Partitions int    `json:"partitions"`
		Retention  string `json:"retention"`
		MaxBytes   int    `json:"max_message_bytes"`
		Cleanup    string `json:"cleanup"`
		There      *bool  `json:"there,omitempty"` // unset: no Kafka is configured
	}
	list := []topicView{}
	rows := [][]string{{"TOPIC", "PARTITIONS", "RETENTION", "CLEANUP", "ON KAFKA"}}
	for _, t := range declared {
		v := topicView{Name: t.Name, Partitions: t.Partitions, Retention: t.Retention.String(), MaxBytes: t.MaxMessageBytes, Cleanup: t.Cleanup}
		there := ""
		if asked {
			is := !has(missing, t.Name)
			v.There, there = &is, map[bool]string{true: "yes", false: "missing"}[is]
		}
		list = append(list, v)
		rows = append(rows, []string{v.Name, strconv.Itoa(v.Partitions), v.Retention, v.Cleanup, there})
	}
	return e.answer(map[string]any{"topics": list}, func(w io.Writer) { table(w, rows...) })
}
