package guard

import (
	"errors"
	"slices"
	"strings"
)

// Agent is a kind of agent program whose launch arguments are known.
type Agent string

// The known agent programs.
const (
	AgentClaude Agent = "claude"
	AgentCodex  Agent = "codex"
)

// ErrAgent means that the program's arguments are not known: it must not be
// launched for a run with untrusted content.
var ErrAgent = errors.New("guard: no restricted launch arguments are known for this agent program")

// errNoTools and errToolName keep blanket permissions out of a launch.
var (
	errNoTools  = errors.New("guard: the restricted profile needs an explicit list of allowed tools")
	errToolName = errors.New("guard: an allowed tool is named by letters, digits and underscores; patterns and network tools are refused")
)

// networkTools are the agent programs' own tools that reach outside.
var networkTools = []string{"WebFetch", "WebSearch"}

// LaunchArguments gives the arguments that put an agent program into the restricted
// profile (SPEC EGR-6): an explicit list of tools, no network tool, no blanket
// permission. With unrestricted, which only an operator may set, there are none.
func LaunchArguments(a Agent, allowed []string, unrestricted bool) ([]string, error) {
	if unrestricted {
		return nil, nil
	}
	switch a {
	case AgentClaude:
		if len(allowed) == 0 {
			return nil, errNoTools
		}
		for _, t := range allowed {
			if slices.ContainsFunc(networkTools, func(n string) bool { return strings.EqualFold(n, t) }) || !toolName(t) {
				return nil, errToolName
			}
		}
		return []string{
			"--permission-mode", "acceptEdits",
			"--allowedTools", strings.Join(allowed, ","),
			"--disallowedTools", strings.Join(networkTools, ","),
		}, nil
	case AgentCodex:
		return []string{"--sandbox", "workspace-write", "-c", "sandbox_workspace_write.network_access=false"}, nil
	}
	return nil, ErrAgent
}

// toolName refuses anything that could be read as another option or as a pattern.
func toolName(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
