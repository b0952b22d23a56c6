package chunk

// FailureID names why something was blocked, held or refused. The list is
// closed: records, problem documents and metrics use these and nothing else, so
// that an operator can alarm on them and no free text can leak through them.
type FailureID string

// The failures.
const (
	FailNone               FailureID = ""
	FailSourceUnregistered FailureID = "source-unregistered"
	FailPromptInjection    FailureID = "prompt-injection-detected"
	FailInjectionSuspected FailureID = "prompt-injection-suspected"
	FailUndecided          FailureID = "undecided"             // a bound was exceeded or a decision failed
	FailPIILeakRisk        FailureID = "pii-leak-risk"         // raw pii on its way out, or an argument above its tool's ceiling
	FailCeilingExceeded    FailureID = "ceiling-exceeded"      // content above its source's declared class
	FailCitation           FailureID = "hallucinated-citation" // a citation that does not resolve
	FailIntegrity          FailureID = "integrity-alarm"       // attribution missing, altered or of another session
	FailPoison             FailureID = "poison"                // a message that could not be processed in the allowed attempts
	FailRunHalted          FailureID = "run-halted"
	FailRunEnded           FailureID = "run-ended"
	FailRunIncomplete      FailureID = "run-incomplete"
	FailContextIncomplete  FailureID = "context-incomplete"
	FailToolUnregistered   FailureID = "tool-unregistered"
	FailToolBlocked        FailureID = "tool-blocked"
	FailToolArguments      FailureID = "tool-arguments-invalid"
	FailApprovalRequired   FailureID = "approval-required"
	FailSinkUnauthorised   FailureID = "sink-unauthorised"
	FailPhase              FailureID = "phase-not-allowed"
	FailDeclaration        FailureID = "declaration-invalid"
	FailState              FailureID = "state-unavailable" // run state cannot be known just now
	FailLedger             FailureID = "ledger-unavailable"
	FailEvidence           FailureID = "evidence-unavailable"
	FailErased             FailureID = "erased"

	// What comes of controlled execution (SPEC DEC-4).
	FailQuota       FailureID = "quota-exceeded"        // more requests of a session than a minute has
	FailDestination FailureID = "destination-refused"   // scheme, host, port or address; of a redirect too
	FailUpstream    FailureID = "upstream-failed"       // no usable answer from there
	FailTimeout     FailureID = "execution-timeout"     //
	FailResultSize  FailureID = "result-too-large"      // packed or unpacked
	FailPath        FailureID = "path-refused"          // leads out of the workspace, or to no regular file
	FailFileMissing FailureID = "file-missing"          //
	FailExecution   FailureID = "execution-failed"      // a fault of the service, or nothing here can carry it out
	FailInterrupted FailureID = "execution-interrupted" // the process ended under way; what became of it is not known

	// Refusals at the door of an authenticated sender.
	FailSourceNotGranted FailureID = "source-not-granted" // the credential does not cover the source
	FailOperatorRequired FailureID = "operator-required"  // the source speaks for an operator, the sender is none
	FailMalformed        FailureID = "payload-malformed"  // not what its media type promises, or no valid event
	FailMediaType        FailureID = "media-type-unsupported"
	FailTooLarge         FailureID = "body-too-large"
	FailStale            FailureID = "timestamp-stale"       // signed, but outside the replay window
	FailBodyChanged      FailureID = "event-body-changed"    // a known event id with another body, at a strict source
	FailRunUnknown       FailureID = "run-unknown"           // no such run of this tenant
	FailClassification   FailureID = "classification-failed" // the payload could not be classified
)

// Failures is the closed list.
var Failures = []FailureID{
	FailSourceUnregistered, FailPromptInjection, FailInjectionSuspected, FailUndecided, FailPIILeakRisk,
	FailCeilingExceeded, FailCitation, FailIntegrity, FailPoison, FailRunHalted, FailRunEnded, FailRunIncomplete,
	FailContextIncomplete, FailToolUnregistered, FailToolBlocked, FailToolArguments, FailApprovalRequired,
	FailSinkUnauthorised, FailPhase, FailDeclaration, FailState, FailLedger, FailEvidence, FailErased,
	FailSourceNotGranted, FailOperatorRequired, FailMalformed, FailMediaType, FailTooLarge, FailStale, FailBodyChanged,
	FailRunUnknown, FailClassification,
	FailQuota, FailDestination, FailUpstream, FailTimeout, FailResultSize, FailPath, FailFileMissing, FailExecution, FailInterrupted,
}

// Known reports whether f is in the closed list or empty.
func (f FailureID) Known() bool {
	if f == FailNone {
		return true
	}
	for _, k := range Failures {
		if k == f {
			return true
		}
	}
	return false
}
