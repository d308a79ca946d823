import Foundation

#if canImport(Darwin)
import MachO
#endif

/// Identifies the running build of the app. The counts of one build say nothing about another.
public enum BuildIdentity {
    /// The identifier of the running build, in hexadecimal digits: on Linux the build ID of the program's executable (the note
    /// `NT_GNU_BUILD_ID`), on Apple's systems the combined UUIDs (`LC_UUID`) of the executable and of all libraries and
    /// frameworks that the app brings along.
    ///
    /// It is the same wherever the same build is installed, and differs between builds whose code differs. `nil` if the linker
    /// gave none (`--build-id=none`, `-no_uuid`) or the executable cannot be read.
    public static let current: String? = identifier().map { bytes in
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

#if canImport(Darwin)
private func identifier() -> [UInt8]? {
    let bundle = Bundle.main.bundleURL
    // A program without a bundle is alone: what else is in its folder is not its own.
    let folder = bundle.pathExtension.isEmpty ? nil : bundle.resolvingSymlinksInPath().path + "/"
    var images: [(path: String, uuid: [UInt8])] = []
    for index in 0..<_dyld_image_count() {
        guard let name = _dyld_get_image_name(index), let header = _dyld_get_image_header(index) else { continue }
        let path = URL(fileURLWithPath: String(cString: name)).resolvingSymlinksInPath().path
        let isMain = header.pointee.filetype == UInt32(MH_EXECUTE)
        let isOfBundle = folder.map { path.hasPrefix($0) } ?? false
        guard isMain || isOfBundle, let uuid = uuid(of: header) else { continue }
        // The folder differs from installation to installation.
        images.append((isMain ? "" : String(path.dropFirst(folder?.count ?? 0)), uuid))
    }
    return combined(images)
}

private func uuid(of image: UnsafePointer<mach_header>) -> [UInt8]? {
    let header = UnsafeRawPointer(image)
    guard header.loadUnaligned(as: UInt32.self) == MH_MAGIC_64 else { return nil }
    var command = header + MemoryLayout<mach_header_64>.size
    for _ in 0..<header.loadUnaligned(as: mach_header_64.self).ncmds {
        let load = command.loadUnaligned(as: load_command.self)
        if load.cmd == UInt32(LC_UUID) {
            return withUnsafeBytes(of: command.loadUnaligned(as: uuid_command.self).uuid, Array.init)
        }
        command += Int(load.cmdsize)
    }
    return nil
}
#else
private func identifier() -> [UInt8]? {
    do {
        // This remains the running program's own file, even if its path names another one by now.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/exe"))
        defer { try? file.close() }
        return try buildID(ofELF: file)
    } catch {
        return nil
    }
}

/// The build ID of a 64-bit little-endian ELF file (System V ABI, chapters 4 and 5).
private func buildID(ofELF file: FileHandle) throws -> [UInt8]? {
    guard let header = try file.read(upToCount: 64), header.count == 64,
        header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
    else { return nil }
    let (start, size) = (header.number(at: 32, bytes: 8), header.number(at: 54, bytes: 2))
    for index in 0..<header.number(at: 56, bytes: 2) {
        try file.seek(toOffset: start &+ index * size)
        guard let segment = try file.read(upToCount: 56), segment.count == 56 else { return nil }
        // Notes take some hundred bytes.
        let length = segment.number(at: 32, bytes: 8)
        guard segment.number(at: 0, bytes: 4) == 4, length < 1 << 16 else { continue }
        try file.seek(toOffset: segment.number(at: 8, bytes: 8))
        if let id = buildID(inNotes: try file.read(upToCount: Int(length)) ?? Data()) { return id }
    }
    return nil
}

/// The build ID among the notes of an ELF segment: each has the lengths of its name and its content, its type, and then both,
/// padded to four bytes.
func buildID(inNotes notes: Data) -> [UInt8]? {
    var offset = 0
    while offset + 12 <= notes.count {
        let (nameLength, length) = (
            Int(notes.number(at: offset, bytes: 4)), Int(notes.number(at: offset + 4, bytes: 4))
        )
        let content = offset + 12 + (nameLength + 3) / 4 * 4
        guard content + length <= notes.count else { return nil }
        let name = notes.dropFirst(offset + 12).prefix(nameLength)
        if notes.number(at: offset + 8, bytes: 4) == 3, name.elementsEqual("GNU\0".utf8) {
            return Array(notes.dropFirst(content).prefix(length))
        }
        offset = content + (length + 3) / 4 * 4
    }
    return nil
}

extension Data {
    /// A little-endian number, which lies within the data.
    fileprivate func number(at offset: Int, bytes: Int) -> UInt64 {
        dropFirst(offset).prefix(bytes).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
#endif

/// One identifier of several images, in whichever order they were loaded; that of the only one is its own.
func combined(_ images: [(path: String, uuid: [UInt8])]) -> [UInt8]? {
    let sorted = images.sorted { $0.path < $1.path }
    guard sorted.count > 1 else { return sorted.first?.uuid }
    var bytes: [UInt8] = []
    for image in sorted { bytes += [UInt8](image.path.utf8) + [0] + image.uuid }
    let words = (0..<4).map { Murmur3.hash(bytes, seed: $0).bigEndian }
    return words.withUnsafeBytes(Array.init)
}
