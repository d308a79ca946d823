import SanctuaryDomain
import Testing

@Suite struct PhotoProgressTests {
    /// A vendor's progress report for a picture.
    struct Vendor: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let received: [(completed: Int, total: Int?)]
        let expected: [PhotoProgress]

        init(_ description: String, received: [(Int, Int?)], expected: [(Int, Int?)]) {
            testDescription = description
            self.received = received
            self.expected = expected.map { PhotoProgress(completed: $0, total: $1) }
        }

        static let all = [
            Vendor("all is well", received: [(2, 8), (5, 8)], expected: [(2, 8), (5, 8)]),
            Vendor("nothing", received: [], expected: []),
            Vendor("the same twice", received: [(0, 8), (2, 8), (2, 8)], expected: [(2, 8)]),
            Vendor("all of it, and perhaps it fails yet", received: [(2, 8), (8, 8)], expected: [(2, 8)]),
            Vendor("more than all", received: [(2, 8), (9, 8)], expected: [(2, 8)]),
            Vendor("all of nothing", received: [(0, 0), (5, 0)], expected: []),
            Vendor("without a length", received: [(2, nil), (5, nil)], expected: [(2, nil), (5, nil)]),
            Vendor("a length at last", received: [(2, nil), (5, 8)], expected: [(2, nil), (5, 8)]),
            Vendor("a length no more", received: [(2, 8), (5, nil)], expected: [(2, 8)]),
            Vendor("another length", received: [(4, 8), (5, 80), (6, 8)], expected: [(4, 8), (6, 8)]),
            Vendor("a second attempt", received: [(6, 8), (1, 8), (7, 8)], expected: [(6, 8), (7, 8)]),
            Vendor("nonsense", received: [(-1, 8), (3, -8), (.max, nil)], expected: [(.max, nil)]),
        ]
    }

    @Test(arguments: Vendor.all)
    func `BIN-05: only plausible progress is reported, and 1 when the picture has arrived`(_ vendor: Vendor)
        async
    {
        for comes in [true, false] {
            let (reports, continuation) = AsyncStream.makeStream(of: PhotoProgress.self)
            var transfer = PhotoTransfer { continuation.yield($0) }
            for (completed, total) in vendor.received { transfer.received(completed, of: total) }
            if comes { transfer.finish(with: Photo(bytes: Array(repeating: 1, count: 8), mediaType: "image/bmp")) }
            transfer.end()
            transfer.received(7, of: 8)
            transfer.finish(with: Photo(bytes: [], mediaType: "image/bmp"))
            let size = max(8, vendor.expected.last?.completed ?? 0)
            let end = comes ? [PhotoProgress(completed: size, total: size)] : []
            continuation.finish()
            var reported: [PhotoProgress] = []
            for await report in reports { reported.append(report) }
            #expect(reported == vendor.expected + end)
        }
    }

    @Test(arguments: [
        (0, nil, nil), (5, nil, nil), (0, 8, 0), (2, 8, 0.25), (8, 8, 1), (9, 8, 1), (0, 0, 1), (-1, 8, 0),
    ])
    func `a fraction is from 0 to 1, and all of nothing is 1`(completed: Int, total: Int?, fraction: Double?) {
        #expect(PhotoProgress(completed: completed, total: total).fraction == fraction)
    }
}
