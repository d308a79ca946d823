#if Sandbox
import SanctuaryHarness
import Testing

@Suite struct PictureCacheTests {
    @Test(.timeLimit(.minutes(5)))
    func `D8: a warm cache of V1 is cold under V2 for one walk, and stays until it is removed`() async throws {
        let measured = try await PictureCacheMeasurement.run()
        #expect(measured.downloaded[0] > 0)
        #expect(measured.downloaded == [measured.downloaded[0], 0, measured.downloaded[0], 0])
        #expect(measured.onDisk[1] == measured.onDisk[0])
        #expect(measured.onDisk[2] > measured.onDisk[1] + measured.downloaded[0])
        #expect(measured.onDisk[3] >= measured.onDisk[2])
        #expect(measured.onDiskWithoutV1 <= measured.onDisk[3] - measured.downloaded[0])
    }
}
#endif
