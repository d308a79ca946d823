import SanctuaryDomain
import Testing

@Suite struct PhotoProgressTests {
    /// A vendor's progress report for a picture.
    struct Vendor: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let says: [(completed: Int, total: Int?)]
        let told: [PhotoProgress]

        init(_ description: String, says: [(Int, Int?)], told: [(Int, Int?)]) {
            testDescription = description
            self.says = says
            self.told = told.map { PhotoProgress(completed: $0, total: $1) }
        }

        static let all = [
            Vendor("all is well", says: [(2, 8), (5, 8)], told: [(2, 8), (5, 8)]),
            Vendor("nothing", says: [], told: []),
            Vendor("the same twice", says: [(0, 8), (2, 8), (2, 8)], told: [(2, 8)]),
            Vendor("all of it, and perhaps it fails yet", says: [(2, 8), (8, 8)], told: [(2, 8)]),
            Vendor("more than all", says: [(2, 8), (9, 8)], told: [(2, 8)]),
            Vendor("all of nothing", says: [(0, 0), (5, 0)], told: []),
            Vendor("without a length", says: [(2, nil), (5, nil)], told: [(2, nil), (5, nil)]),
            Vendor("a length at last", says: [(2, nil), (5, 8)], told: [(2, nil), (5, 8)]),
            Vendor("a length no more", says: [(2, 8), (5, nil)], told: [(2, 8)]),
            Vendor("another length", says: [(4, 8), (5, 80), (6, 8)], told: [(4, 8), (6, 8)]),
            Vendor("a second attempt", says: [(6, 8), (1, 8), (7, 8)], told: [(6, 8), (7, 8)]),
            Vendor("nonsense", says: [(-1, 8), (3, -8), (.max, nil)], told: [(.max, nil)]),
        ]
    }

    @Test(arguments: Vendor.all)
    func `BIN-05: only plausible progress is reported, and 1 when the picture has arrived`(_ vendor: Vendor)
        async
    {
        for comes in [true, false] {
            let (words, said) = AsyncStream.makeStream(of: PhotoProgress.self)
            var transfer = PhotoTransfer { said.yield($0) }
            for (completed, total) in vendor.says { transfer.received(completed, of: total) }
            if comes { transfer.finish(with: Photo(bytes: Array(repeating: 1, count: 8), mediaType: "image/bmp")) }
            transfer.end()
            transfer.received(7, of: 8)
            transfer.finish(with: Photo(bytes: [], mediaType: "image/bmp"))
            let size = max(8, vendor.told.last?.completed ?? 0)
            let end = comes ? [PhotoProgress(completed: size, total: size)] : []
            said.finish()
            var told: [PhotoProgress] = []
            for await word in words { told.append(word) }
            #expect(told == vendor.told + end)
        }
    }

    @Test(arguments: [
        (0, nil, nil), (5, nil, nil), (0, 8, 0), (2, 8, 0.25), (8, 8, 1), (9, 8, 1), (0, 0, 1), (-1, 8, 0),
    ])
    func `a fraction is from 0 to 1, and all of nothing is 1`(completed: Int, total: Int?, fraction: Double?) {
        #expect(PhotoProgress(completed: completed, total: total).fraction == fraction)
    }
}
