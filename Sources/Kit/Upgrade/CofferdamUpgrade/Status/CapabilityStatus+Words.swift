import Cofferdam

extension CapabilityStatus {
    /// What a person should know besides the ``situation``, one line each.
    package var remarks: [String] {
        var lines: [String] = []
        lines += notes ?? []
        if let releaseSteps { lines.append(releaseSteps) }
        for arm in arms ?? [] {
            let crossed = arm.crossed.map { ", \($0) more came from other builds" } ?? ""
            let counted = "\(arm.units) failed\(crossed)"
            lines.append("build \(arm.build), \(arm.side.version): \(counted)")
        }
        if let named { lines.append(named.text(at: stage, kill: kill?.target)) }
        if gate.isKept == false {
            lines.append("users count again after a restart, so a person must confirm the next step")
        }
        lines += gate.remarks
        lines += gate.gaps.map { "missing evidence: \($0)" }
        return lines
    }
}
