#if CommandLine
import Cofferdam
import CofferdamSupport
import CofferdamContracts

extension ContractDocument {
    /// The report with everything that the tool can conclude from it.
    static func all(
        _ name: String,
        _ report: ContractReport,
        _ tooling: Tooling,
        withDrift: Bool,
        _ progress: ToolProgress
    ) async throws -> ContractDocument {
        let drift = withDrift ? try await tooling.drift?.run(nil, progress) : nil
        return ContractDocument(name: name, report: report, drift: drift, today: .today)
    }
}

extension ReportFile {
    func write(_ document: ContractDocument, _ timings: ContractTimings, described tooling: Tooling) throws {
        let bytes: [UInt8] =
            switch format {
            case .text:
                Array(
                    ContractMatrix(document.report, described: tooling, detail: .rules)
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
