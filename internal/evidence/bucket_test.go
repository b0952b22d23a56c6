//go:build cloud

package evidence_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"gocloud.dev/blob/memblob"

	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/evidence/evidencetest"
)

func TestBucketInMemory(t *testing.T) {
	shared := memblob.OpenBucket(nil)
	t.Cleanup(func() { _ = shared.Close() })
	evidencetest.Blobs(t, func(t *testing.T) evidence.Blobs { return evidence.BucketOf(shared) })
}

// TestBucketByURL runs against the store that STOPLOG_TEST_BUCKET names.
func TestBucketByURL(t *testing.T) {
	url := os.Getenv("STOPLOG_TEST_BUCKET")
	if url == "" {
		t.Log("not run against a real object store: STOPLOG_TEST_BUCKET is not set")
		return
	}
	evidencetest.Blobs(t, func(t *testing.T) evidence.Blobs {
		b, err := evidence.OpenBucket(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		return b
	})
}

// SPEC: PRV-2
func TestBucketErrorsShowNoURL(t *testing.T) {
	_, err := evidence.OpenBucket(context.Background(), "nosuch://name?secret=hunter2")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestClosedBucketIsUnavailable(t *testing.T) {
	closed := memblob.OpenBucket(nil)
	_ = closed.Close()
	b := evidence.BucketOf(closed)
	name := evidencetest.Name()
	for what, err := range map[string]error{
		"Put": b.Put(context.Background(), name, nil), "Ping": b.Ping(context.Background()), "Remove": b.Remove(context.Background(), name),
	} {
		if err == nil {
			t.Errorf("%s worked on a closed bucket", what)
		}
	}
}
