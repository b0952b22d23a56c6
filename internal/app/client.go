package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/config"
)

// client speaks to a running Stoplog: what a command does, anyone can do over HTTP.
type client struct {
	base, token string
	http        *http.Client
}

// answer is an envelope as a client reads it.
type answer struct {
	Status   int             `json:"-"`
	OK       bool            `json:"ok"`
	Data     json.RawMessage `json:"data"`
	Code     string          `json:"code"`
	Detail   string          `json:"detail"`
	Again    bool            `json:"retryable"`
	Warnings []string        `json:"warnings"`
	Gate     string          `json:"gate_id"`
}

func (c *client) do(ctx context.Context, method, path string, body any, header ...string) (answer, error) {
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		r = bytes.NewReader(b)
	default:
		j, err := json.Marshal(b)
		if err != nil {
			return answer{}, err
		}
		r = bytes.NewReader(j)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, r)
	if err != nil {
		return answer{}, err
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if r != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return answer{}, fmt.Errorf("%s does not answer: %w; is `stoplog serve` running there?", c.base, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil {
		return answer{}, err
	}
	a := answer{Status: res.StatusCode}
	if err := json.Unmarshal(b, &a); err != nil {
		return a, fmt.Errorf("%s answered %s with something that is not an envelope", c.base, res.Status)
	}
	return a, nil
}

// call is do for commands: a refusal is an error that says the code and what to do.
func (c *client) call(ctx context.Context, method, path string, body, into any) error {
	a, err := c.ask(ctx, method, path, body)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(a.Data, into)
}

// ask is call for a command that needs the whole answer.
func (c *client) ask(ctx context.Context, method, path string, body any) (answer, error) {
	a, err := c.do(ctx, method, path, body)
	if err == nil && !a.OK {
		err = &apiError{a.Status, a.Code, a.Detail, a.Again, a.Data}
	}
	return a, err
}

// apiError is a refusal by the API.
type apiError struct {
	Status       int
	Code, Detail string
	Retryable    bool
	Data         json.RawMessage
}

func (e *apiError) Error() string { return fmt.Sprintf("%s (%d): %s", e.Code, e.Status, e.Detail) }

type clientFlags struct{ data, url, token string }

func (f *clientFlags) add(c *cobra.Command) {
	c.PersistentFlags().StringVar(&f.data, "data", "stoplog-data", "data directory: its configuration and tokens are used")
	c.PersistentFlags().StringVar(&f.url, "url", "", "address of the API (default: the configuration's)")
	c.PersistentFlags().StringVar(&f.token, "token-file", "", "file with the bearer token (default: one of DATA/secrets)")
}

// open finds the address and a token: what the flags say, the environment
// (STOPLOG_URL, STOPLOG_TOKEN), or the data directory.
func (f *clientFlags) open(role string) (*client, error) {
	c := &client{base: f.url, token: os.Getenv("STOPLOG_TOKEN"), http: &http.Client{Timeout: 90 * time.Second}}
	if c.base == "" {
		c.base = os.Getenv("STOPLOG_URL")
	}
	if c.base == "" {
		cfg, err := loadConfig("", f.data)
		if err != nil {
			return nil, err
		}
		c.base = "http://" + cfg.Listen
	}
	c.base = strings.TrimSuffix(c.base, "/")
	file := f.token
	if file == "" && c.token == "" {
		file = config.TokenFile(f.data, role)
	}
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("token: %w; give --token-file or STOPLOG_TOKEN", err)
		}
		c.token = strings.TrimSpace(string(b))
	}
	return c, nil
}
