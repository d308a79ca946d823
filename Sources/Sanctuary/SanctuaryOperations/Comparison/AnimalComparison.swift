public import Cofferdam  // comparators are the kit's values
public import SanctuaryDomain  // what is compared

extension Comparator<Animal> {
    /// Compares every field of an animal except its id, by which animals are matched.
    public static var animals: Self {
        Self().field("name", \.name).field("displayName", \.displayName).field("group", \.group).field("legs", \.legs)
            .field("heads", \.heads)
    }
}

extension Comparator<Photo> {
    /// Compares pictures byte by byte; differences show a digest.
    public static var photos: Self {
        Self().field("bytes", \.bytes) { "\($0.count) bytes, \($0.digest)" }.field("mediaType", \.mediaType)
    }
}

extension [UInt8] {
    /// FNV-1a with 64 bits, in hexadecimal: distinguishes pictures for humans, without any security.
    fileprivate var digest: String {
        String(reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }
}
