// Draws the two cards of Architecture.md: `./dev pictures` runs it. Each station names a source file by the end of its path. If
// no file has that path, or more than one, the program exits with 1.
import Foundation

struct Station {
    var title: String
    var text: String
    var file: String
    var side: Side

    init(_ title: String, _ text: String, _ file: String, _ side: Side) {
        (self.title, self.text, self.file, self.side) = (title, text, file, side)
    }
}

enum Side: String {
    case app, adapter, vendor, kit
}

struct Card {
    var file: String
    var title: String
    /// In the order of the path: the upper row from left to right, the lower one back from right to left.
    var stations: [Station]
    /// Whether the last station leads to the first one again.
    var isLoop = false
}

let cards = [
    Card(
        file: "path-of-a-value.svg",
        title: "sanctuary animal 1: the path of a value",
        stations: [
            Station("command", "parses the arguments", "AnimalsCommand.swift", .app),
            Station("feature", "asks the port for the screen", "CatalogueFeature.swift", .app),
            Station("port", "a protocol in the app’s types", "Ports/Catalogue.swift", .app),
            Station("adapter", "calls this major of the SDK", "Ports/V2Catalogue.swift", .adapter),
            Station("vendor’s SDK", "public API of the vendor", "MenagerieClient.swift", .vendor),
            Station("transport", "HTTP over libcurl", "CurlClient.swift", .kit),
            Station("wire", "the service answers in JSON", "V2/V2Catalogue.swift", .vendor),
            Station(
                "translator",
                "vendor model → domain type",
                "MenagerieV2Adapter/Translation/AnimalTranslator.swift",
                .adapter
            ),
            Station("value", "the app’s own struct", "Values/Animal.swift", .app),
            Station("terminal", "prints it", "AnimalOutput.swift", .app),
        ]
    ),
    Card(
        file: "path-of-a-decision.svg",
        title: "From a call to the next stage: the path of a decision",
        stations: [
            Station("call", "enters through the route", "Route.swift", .kit),
            Station("side", "V1 or V2, by stage and share", "CallPlan.swift", .kit),
            Station("outcome", "fine, failed, slow or different", "Attempt.swift", .kit),
            Station("unit", "one user counts once", "UnitSession.swift", .kit),
            Station("evidence", "adds up units per operation", "EvidenceRecorder.swift", .kit),
            Station("gate", "promote, hold or roll back", "Gate.swift", .kit),
            Station("state", "one log with every change", "UpgradeState.swift", .kit),
            Station("stage", "every instance follows it", "StageControl.swift", .kit),
        ],
        isLoop: true
    ),
]

let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

/// The folder of the one source file whose path ends like this, without the folders that say nothing here.
func folder(of file: String) throws -> String {
    let found = ["Sources", "VendorStubs"].flatMap { top in
        (FileManager.default.enumerator(atPath: root.appending(path: top).path)?.compactMap { $0 as? String } ?? [])
            .filter { "/\($0)".hasSuffix("/\(file)") }
    }
    guard found.count == 1 else { throw Failure(text: "\(file): \(found.isEmpty ? "no such file" : "\(found)")") }
    let folders = found[0].split(separator: "/").dropLast()
    return folders.dropFirst(["Kit": 2, "Sanctuary": 1, "Adapters": 1][folders[0]] ?? 0).joined(separator: "/")
}

struct Failure: Error {
    var text: String
}

func draw(_ card: Card) throws -> String {
    let (width, height, gap, top, margin) = (232, 104, 34, 72, 24)
    let columns = (card.stations.count + 1) / 2
    let total = (width: margin * 2 + columns * width + (columns - 1) * gap, height: top + 2 * height + 56 + margin)
    func place(_ index: Int) -> (x: Int, y: Int) {
        let column = index < columns ? index : 2 * columns - 1 - index
        return (margin + column * (width + gap), index < columns ? top : top + height + 56)
    }
    var lines = [
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(total.width) \(total.height)" role="img" aria-label="\(card.title)">
        <style>
        text{font:15px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#1c2733}
        .title{font-size:20px;font-weight:600}.name{font-size:17px;font-weight:600}.file{font:11.5px ui-monospace,Menlo,Consolas,monospace;fill:#5c6b7a}
        .note{font-size:13px;fill:#3b4a59}.way{stroke:#7b8a99;stroke-width:2;fill:none;marker-end:url(#tip)}.tip{fill:#7b8a99}
        .page{fill:#ffffff}.app{fill:#e6f0fd;stroke:#4a86d8}.adapter{fill:#fdf1dc;stroke:#d18a1b}.vendor{fill:#eeeeee;stroke:#8a8a8a}.kit{fill:#e5f5ea;stroke:#3d9a5f}
        @media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.file{fill:#9aa7b4}.note{fill:#c3ced9}.app{fill:#122b49}.adapter{fill:#3d2c0d}.vendor{fill:#2a2d31}.kit{fill:#10331f}}
        </style>
        <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>
        <rect class="page" width="\(total.width)" height="\(total.height)"/>
        <text class="title" x="\(margin)" y="42">\(card.title)</text>
        """
    ]
    for (index, station) in card.stations.enumerated() {
        let (x, y) = place(index)
        lines.append(
            """
            <rect class="\(station.side.rawValue)" x="\(x)" y="\(y)" width="\(width)" height="\(height)" rx="8" stroke-width="1.5"/>
            <text class="name" x="\(x + 14)" y="\(y + 28)">\(index + 1)  \(station.title)</text>
            <text class="note" x="\(x + 14)" y="\(y + 50)">\(station.text)</text>
            <text class="file" x="\(x + 14)" y="\(y + 73)">\(try folder(of: station.file))/</text>
            <text class="file" x="\(x + 14)" y="\(y + 90)">\(station.file.split(separator: "/").last ?? "")</text>
            """
        )
        guard index + 1 < card.stations.count else { continue }
        let next = place(index + 1)
        let way =
            next.y != y
            ? "M\(x + width / 2) \(y + height + 2)V\(next.y - 4)"
            : next.x > x
                ? "M\(x + width + 2) \(y + height / 2)H\(next.x - 4)"
                : "M\(x - 2) \(y + height / 2)H\(next.x + width + 4)"
        lines.append("<path class=\"way\" d=\"\(way)\"/>")
    }
    if card.isLoop {
        let (x, y) = place(card.stations.count - 1)
        lines.append("<path class=\"way\" d=\"M\(x + width / 2) \(y - 2)V\(top + height + 4)\"/>")
    }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
}

do {
    for card in cards {
        let file = root.appending(path: "Documentation/\(card.file)")
        try draw(card).write(to: file, atomically: true, encoding: .utf8)
        print(file.path)
    }
} catch let failure as Failure {
    FileHandle.standardError.write(Data("pictures: \(failure.text)\n".utf8))
    exit(1)
}
