import CofferdamGate
import Testing

@Suite struct Murmur3Tests {
    @Test(
        arguments: [
            ("abc", 0, 0xB3DD_93FA), ("hello", 0, 0x248B_FA47), ("test", 0, 0xBA6B_D213), ("", 0, 0),
            ("", 1, 0x514E_28B7), ("Hello, world!", 0x9747_B28C, 0x2488_4CBA),
            ("The quick brown fox jumps over the lazy dog", 0x9747_B28C, 0x2FA8_26CD),
            ("ejOoVL", 0, 0), ("bY9fO-", 0, 1), ("SI7p-", 0, 2_147_483_647), ("6LvT0", 0, 2_147_483_648),
            ("ceQdGm", 0, 4_294_967_295),
        ] as [(String, UInt32, UInt32)]
    )
    func `MurmurHash3 has its reference values`(text: String, seed: UInt32, hash: UInt32) {
        #expect(Murmur3.hash(text.utf8, seed: seed) == hash)
    }

    @Test func `MurmurHash3 has SMHasher's verification value`() {
        var hashes: [UInt8] = []
        for length in 0..<256 {
            let key = (0..<length).map { UInt8($0) }
            let hash = Murmur3.hash(key, seed: UInt32(256 - length))
            hashes += (0..<4).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt32($0))) }
        }
        #expect(Murmur3.hash(hashes, seed: 0) == 0xB0F5_7EE3)
    }

    @Test func `it does not matter in which pieces bytes come`() {
        let bytes = Array("The quick brown fox".utf8)
        for cut in 0...bytes.count {
            var murmur = Murmur3(seed: 7)
            murmur.combine(bytes[..<cut])
            murmur.combine(bytes[cut...])
            #expect(murmur.value == Murmur3.hash(bytes, seed: 7))
        }
    }
}
