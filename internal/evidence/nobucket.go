//go:build !cloud

package evidence

import (
	"context"
	"errors"
)

// Bucket is an object store in builds with the cloud tag.
type Bucket struct{ Blobs }

// OpenBucket opens a bucket by URL in builds with the cloud tag. The drivers are
// heavy, so that the usual build does without them.
func OpenBucket(context.Context, string) (*Bucket, error) {
	return nil, errors.New("evidence: this build has no bucket drivers; build the commands with -tags cloud")
}
