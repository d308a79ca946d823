#if Server
import Cofferdam
import CofferdamPages
import CofferdamUpgrade

extension ConsoleSections {
    /// The differences between the sides, by operation; empty if devices report no mismatch.
    var samples: Markup {
        guard let samples = upgrade.status.samples, !samples.isEmpty else { return "" }
        let rows = samples.sorted { ($0.operation, $0.path) < ($1.operation, $1.path) }
            .map { sample -> [Markup] in
                [
                    PagePart.name(sample.operation), PagePart.name(sample.path),
                    sample.legacy.map(PagePart.text) ?? "nothing", sample.candidate.map(PagePart.text) ?? "nothing",
                    Self.time(sample.at, isShort: true),
                ]
            }
        let columns: [PageTable.Column] = [
            "Operation", "Field", .wide("Legacy"), .wide("Candidate"), "First seen",
        ]
        return PagePart.section(
            "samples",
            "Samples of mismatches",
            PageTable("samples", columns, rows).markup
        )
    }
}
#endif
