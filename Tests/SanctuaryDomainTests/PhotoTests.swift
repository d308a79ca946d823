import SanctuaryDomain
import Testing

@Suite struct PhotoTests {
    @Test(
        "ERR-01: data declared as anything but a picture is not a picture",
        arguments: ["text/html; charset=utf-8", "TEXT/HTML", "application/json", "text/plain", ""]
    )
    func noPicture(type: String) {
        let error = #expect(throws: SanctuaryError.self) { try Photo(bytes: [1], declaredType: type) }
        #expect(error?.code == .decoding && error?.subject == "Content-Type")
    }

    @Test(
        "BIN-01: a picture keeps its bytes and type, and may have none",
        arguments: [("image/bmp", "image/bmp"), ("Image/PNG", "Image/PNG"), (nil, "application/octet-stream")]
            as [(String?, String)]
    )
    func picture(type: String?, expected: String) throws {
        for bytes in [[], [0, 255]] as [[UInt8]] {
            #expect(try Photo(bytes: bytes, declaredType: type) == Photo(bytes: bytes, mediaType: expected))
        }
    }
}
