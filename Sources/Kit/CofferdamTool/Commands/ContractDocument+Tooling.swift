#if CommandLine
    import Cofferdam
    import CofferdamContracts

    extension ContractDocument {
        /// The report with all that the tool can conclude from it.
        static func all(
            _ name: String,
            _ report: ContractReport,
            _ tooling: Tooling,
            withDrift: Bool,
            _ progress: ToolProgress
        ) async throws -> ContractDocument {
            var document = ContractDocument(name: name, report: report)
            let present = Set(report.rows.map(\.adapter))
            if let path = tooling.upgrade, present.isSuperset(of: [path.legacy, path.candidate]) {
                document.comparison = UpgradeComparison(report, from: path.legacy, to: path.candidate)
                document.verdict = UpgradeVerdict(report, from: path.legacy, to: path.candidate, today: .today)
            }
            if withDrift, let drift = tooling.drift {
                document.drift = try await drift.run(nil, progress).drifts.map(DriftLine.init)
            }
            return document
        }
    }

    extension ContractDocument.DriftLine {
        init(_ drift: DriftReport.Drift) {
            self.init(
                tier: drift.tier.rawValue,
                id: drift.id,
                place: [drift.call, drift.subject, drift.path].filter { !$0.isEmpty }.joined(separator: ", "),
                legacy: drift.legacy,
                candidate: drift.candidate,
                reason: drift.reason
            )
        }
    }

    extension ReportFile {
        func write(_ document: ContractDocument, _ timings: ContractTimings, described tooling: Tooling) throws {
            let bytes: [UInt8] =
                switch format {
                case .text:
                    Array(
                        ContractMatrix(document.report, described: tooling)
                            .render(TerminalStyle(isColoured: false)).utf8
                    )
                case .json: try OutputFile.json(document.report)
                case .junit: Array(document.junit().utf8)
                case .markdown: Array(document.markdown().utf8)
                case .html: Array(document.html().utf8)
                case .timings: try OutputFile.json(timings)
                }
            try OutputFile.write(bytes, to: path)
        }
    }
#endif
