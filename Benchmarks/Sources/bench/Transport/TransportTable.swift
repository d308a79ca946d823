/// The samples for humans: one block for each scenario, one line for each client.
struct TransportTable {
    private struct Column {
        let title: String
        let decimals: Int
        let value: (Samples, TransportClient) -> Double?
    }

    let samples: Samples

    func print() {
        for scenario in Scenario.all {
            block(
                scenario.title,
                [
                    value("requests/s", scenario.rate, 0),
                    ratio(scenario.rate, .cHandover), ratio(scenario.rate, .cFloor), ratio(scenario.rate, .c),
                    value("p50 µs", scenario.median, 0), value("p99 µs", scenario.tail, 0),
                    value("CPU µs", scenario.processor, 1),
                    ratio(scenario.processor, .cHandover), ratio(scenario.processor, .cFloor),
                    ratio(scenario.processor, .c),
                    value("allocations", scenario.allocations, 1), value("peak MB", scenario.peak, 1),
                ]
            )
        }
        block(
            "256 MB, streamed",
            [
                value("GB/s", Download.speed, 2), ratio(Download.speed, .c), value("CPU ms", Download.processor, 0),
                value("peak MB, slow consumer", Download.peak, 1),
            ]
        )
        block(
            "1000 hanging requests, cancelled",
            [
                value("p50 ms", Cancellation.median, 3), value("p99 ms", Cancellation.tail, 3),
                value("p99 ms, all at once", Cancellation.burst, 3),
            ]
        )
    }

    private func value(_ title: String, _ figure: Samples.Figure, _ decimals: Int) -> Column {
        Column(title: title, decimals: decimals) { $0.median(figure, of: $1) }
    }

    private func ratio(_ figure: Samples.Figure, _ base: TransportClient) -> Column {
        Column(title: "× \(base.rawValue)", decimals: 2) { $0.ratio(figure, of: $1, to: base) }
    }

    private func block(_ title: String, _ columns: [Column]) {
        let clients = TransportClient.allCases.filter { client in
            columns.contains { $0.value(samples, client) != nil }
        }
        guard !clients.isEmpty else { return }
        let width = (clients.map(\.rawValue.count) + [title.count]).max() ?? 0
        Swift.print()
        Swift.print(columns.reduce(title.padded(to: width)) { $0 + "  " + $1.title })
        for client in clients {
            let line = columns.reduce(client.rawValue.padded(to: width)) { line, column in
                let cell = column.value(samples, client)?.formatted(decimals: column.decimals) ?? "–"
                return line + "  " + String(repeating: " ", count: max(0, column.title.count - cell.count)) + cell
            }
            Swift.print(line)
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
