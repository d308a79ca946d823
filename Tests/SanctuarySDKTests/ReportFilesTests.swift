#if Staged
import Cofferdam
import Foundation
import Testing
import TestSupport

@testable import SanctuarySDK

@Suite struct ReportFilesTests {
    private struct Damaged: Error, Equatable { var file: String }

    @Test func `a damaged file holds up none of the files after it`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "reports-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { removeFolder(directory) }
        let files = [0, 3, 7].map { "\(directory)/sanctuary.reports.\($0)" }
        for file in files { try Data("damaged".utf8).write(to: URL(filePath: file)) }
        let opened = Mutex<[String]>([])
        let reports = ReportFiles(in: directory) { file in
            opened.withLock { $0.append(file) }
            throw Damaged(file: file)
        }
        opened.withLock { $0 = [] }
        await #expect(throws: Damaged(file: files[0])) { try await reports.deliver() }
        #expect(opened.withLock { $0 } == files)
    }
}
#endif
