/// The results of the rounds.
struct Samples {
    /// A figure measured for each client.
    struct Figure: Hashable {
        /// The row's name, followed by a client's name.
        let name: String
        let unit: String
        /// Whether the row of ``TransportClient/default`` omits the client's name.
        var isShort = false

        func row(of client: TransportClient) -> String {
            isShort && client == .default ? name : "\(name).\(client.rawValue)"
        }
    }

    private var values: [Figure: [TransportClient: [Int: Double]]] = [:]
    private var order: [Figure] = []

    mutating func add(_ value: Double, _ figure: Figure, of client: TransportClient, round: Int) {
        if values[figure] == nil { order.append(figure) }
        values[figure, default: [:]][client, default: [:]][round] = value
    }

    func median(_ figure: Figure, of client: TransportClient) -> Double? {
        guard let rounds = values[figure]?[client], !rounds.isEmpty else { return nil }
        return Measurement.median(Array(rounds.values))
    }

    /// The median of the rounds' own ratios: other load on the machine affects both alike.
    func ratio(_ figure: Figure, of client: TransportClient, to base: TransportClient) -> Double? {
        guard let ours = values[figure]?[client], let theirs = values[figure]?[base] else { return nil }
        let ratios = ours.compactMap { round, value in theirs[round].map { value / $0 } }
        return ratios.isEmpty ? nil : Measurement.median(ratios)
    }

    /// One row for each figure, client and base: ours against each base, the bases against the first of them.
    var measurements: [Measurement] {
        order.flatMap { figure in
            let measured = TransportClient.allCases.filter { values[figure]?[$0] != nil }
            return measured.flatMap { client in
                bases(of: client, among: measured).compactMap { measurement(figure, client, against: $0) }
            }
        }
    }

    private func bases(of client: TransportClient, among measured: [TransportClient]) -> [TransportClient] {
        let bases = TransportClient.bases.filter(measured.contains)
        guard let first = bases.first else { return [client] }
        return TransportClient.ours.contains(client) ? bases : [first]
    }

    private func measurement(
        _ figure: Figure,
        _ client: TransportClient,
        against base: TransportClient
    ) -> Measurement? {
        guard let value = median(figure, of: client), let ratio = ratio(figure, of: client, to: base) else {
            return nil
        }
        return Measurement(
            name: figure.row(of: client),
            value: value,
            unit: figure.unit,
            base: base.rawValue,
            ratio: ratio,
            samples: values[figure]?[client]?.count ?? 0
        )
    }
}
