package driver

import (
	"strconv"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// AuditName is the name of the file of audits in a directory of draws. It is written when
// the run ends or is interrupted; until then the checkpoints have the audits.
const AuditName = "audit.csv"

// AuditColumns are the columns of the file of audits. A row is one audit: chain and draw from
// 1, the name of the block or nothing, the violations by one step and by a trajectory of steps
// steps, and why they could not be computed, a runtime.Status.
var AuditColumns = [...]string{
	"chain", "draw", "block", "step_reversibility", "step_volume", "step_failure",
	"steps", "reversibility", "volume", "failure",
}

// auditLine is the row of an audit.
func auditLine(chain int, a *runtime.Audit) string {
	var b []byte
	comma := func() { b = append(b, ',') }
	violation := func(v *runtime.Violation) {
		b = draws.AppendFloat(b, v.Reversibility)
		comma()
		b = draws.AppendFloat(b, v.Volume)
		comma()
		b = strconv.AppendUint(b, uint64(v.Failure), 10)
	}
	b = strconv.AppendInt(b, int64(chain), 10)
	comma()
	b = strconv.AppendInt(b, int64(a.Draw), 10)
	comma()
	b = append(b, a.Block...) // an identifier
	comma()
	violation(&a.Step)
	comma()
	b = strconv.AppendInt(b, int64(a.Steps), 10)
	comma()
	violation(&a.Trajectory)
	return string(b)
}
