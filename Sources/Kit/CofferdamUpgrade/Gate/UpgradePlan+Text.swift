package import Cofferdam  // text is shown in its terminal style

extension UpgradePlan {
    /// The plan for a person, before anything is counted: how α is split, and how many units each stage needs.
    public var summary: String { summary(TerminalStyle(isColoured: false)) }

    package func summary(_ style: TerminalStyle) -> String {
        let limits =
            "At most \(settings.limit) of the units may fail; attempt \(settings.attempt).\n"
            + "Promote: α \(settings.alpha), of which \(alpha.shown(6)) for each of \(promotions) transitions.\n"
            + "Roll back: α \(settings.alphaRollback), of which \(alphaRollback.shown(6)) for each of "
            + "\(rollbackTests) tests.\n"
        var table = TextTable([
            .init("STAGE"), .right("CLEAN UNITS"), .init("PROMOTE"), .init("ROLL BACK"), .init("VETO"),
        ])
        for gate in gates {
            table.add([
                .init(gate.stage.rawValue), .init(cleanUnits(toLeave: gate.stage).map { "\($0)" } ?? "–"),
                .init(gate.names(.promote)), .init(gate.names(.rollBack)), .init(gate.names(.veto)),
            ])
        }
        return limits + "\n" + table.render(style)
    }
}

extension Gate {
    fileprivate func names(_ role: GateTest.Role) -> String {
        let names = tests.filter { $0.role == role }.map(\.metric.rawValue)
        return names.isEmpty ? "–" : names.joined(separator: ", ")
    }
}
