//go:build cloud

package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	_ "gocloud.dev/blob/s3blob"    // s3://
	"gocloud.dev/gcerrors"
)

// Bucket keeps blobs in an object store. Its writes are conditional: a name that
// is taken is not overwritten.
type Bucket struct{ bucket *blob.Bucket }

// OpenBucket opens a bucket by URL: s3://name?region=…, gs://name, azblob://name.
// Credentials come from each provider's usual environment.
func OpenBucket(ctx context.Context, url string) (*Bucket, error) {
	b, err := blob.OpenBucket(ctx, url)
	if err != nil { // the error may show the URL, with what stands in it
		return nil, errors.New("evidence: the bucket cannot be opened (want s3://, gs:// or azblob://, and the provider's credentials)")
	}
	return &Bucket{bucket: b}, nil
}

// path spreads names over prefixes, by which some stores scale.
func (*Bucket) path(name string) string { return "ev/" + name[:2] + "/" + name }

// fault maps a driver's error. Its text is dropped: it may quote the request.
func fault(ctx context.Context, err error) error {
	switch code := gcerrors.Code(err); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	case code == gcerrors.NotFound:
		return ErrNotFound
	case code == gcerrors.FailedPrecondition || code == gcerrors.AlreadyExists:
		return ErrExists
	default:
		return fmt.Errorf("%w: bucket: %v", ErrUnavailable, code)
	}
}

// Put stores a blob durably under a new name.
func (b *Bucket) Put(ctx context.Context, name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := b.bucket.WriteAll(ctx, b.path(name), data, &blob.WriterOptions{ContentType: "application/octet-stream", IfNotExist: true})
	return fault(ctx, err)
}

// Get reads a blob of at most limit bytes.
func (b *Bucket) Get(ctx context.Context, name string, limit int) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	r, err := b.bucket.NewReader(ctx, b.path(name), nil)
	if err != nil {
		return nil, fault(ctx, err)
	}
	defer r.Close()
	if r.Size() > int64(limit) {
		return nil, ErrIntegrity
	}
	data := make([]byte, r.Size())
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fault(ctx, err)
	}
	return data, nil
}

// Remove deletes a blob; one that is not there is no error.
func (b *Bucket) Remove(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := fault(ctx, b.bucket.Delete(ctx, b.path(name))); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// Ping reports whether the bucket can be reached.
func (b *Bucket) Ping(ctx context.Context) error {
	ok, err := b.bucket.IsAccessible(ctx)
	if err != nil {
		return fault(ctx, err)
	}
	if !ok {
		return fmt.Errorf("%w: bucket: no access", ErrUnavailable)
	}
	return nil
}

// Close closes the bucket.
func (b *Bucket) Close() error { return b.bucket.Close() }
