//go:build cloud

package evidence

import "gocloud.dev/blob"

// BucketOf wraps a bucket that a test opened.
func BucketOf(b *blob.Bucket) *Bucket { return &Bucket{bucket: b} }
