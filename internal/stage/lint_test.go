package stage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestKafkaInOnePlace reads the project's own code. A kafka.Writer made elsewhere
// waits for no acknowledgement by default; a kafka.Reader in a group commits
// backwards after a rebalance. Neither shows in a review.
func TestKafkaInOnePlace(t *testing.T) {
	const root = "../.."
	files, importers := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil // the compiler says it better
		}
		name := ""
		for _, im := range f.Imports {
			if im.Path.Value == `"github.com/segmentio/kafka-go"` {
				name = "kafka"
				if im.Name != nil {
					name = im.Name.Name
				}
			}
		}
		if name == "" {
			return nil
		}
		importers++
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		// A benchmark reads topics from outside, without a group.
		outside := strings.HasPrefix(rel, "bench/")
		if !strings.HasPrefix(rel, "internal/stage/") && !outside {
			t.Errorf("%s imports kafka-go; only internal/stage touches Kafka", rel)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); !ok || x.Name != name {
				return true
			}
			switch sel.Sel.Name {
			case "NewReader", "ReaderConfig", "Reader":
				if !outside {
					t.Errorf("%s uses kafka.%s: read through stage.Run", rel, sel.Sel.Name)
				}
			case "NewWriter", "WriterConfig":
				t.Errorf("%s uses kafka.%s: writers come from stage.NewWriter", rel, sel.Sel.Name)
			case "DefaultTransport", "DefaultDialer":
				t.Errorf("%s uses kafka.%s, which the whole process shares", rel, sel.Sel.Name)
			}
			return true
		})
		ast.Inspect(f, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				if k, ok := kv.Key.(*ast.Ident); ok && k.Name == "GroupID" {
					t.Errorf("%s sets GroupID: groups are stage.Run's business", rel)
				}
			}
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if sel, ok := lit.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Writer" && rel != "internal/stage/writer.go" {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == name {
					t.Errorf("%s makes a kafka.Writer: writers come from stage.NewWriter", rel)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 || importers < 3 {
		t.Fatalf("read %d files, %d of which import kafka-go: looking in the wrong place", files, importers)
	}
}
