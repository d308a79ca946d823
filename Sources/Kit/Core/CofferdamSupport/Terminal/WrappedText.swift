extension String {
    /// The lines of the text, broken between words; a word that is longer than a line has one of its own.
    package func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var (line, columns) = ("", 0)
        for word in split(separator: " ").map(String.init) {
            let size = word.displayWidth
            if columns > 0, columns + 1 + size > width {
                lines.append(line)
                (line, columns) = (word, size)
            } else {
                line += columns > 0 ? " \(word)" : word
                columns += columns > 0 ? 1 + size : size
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
