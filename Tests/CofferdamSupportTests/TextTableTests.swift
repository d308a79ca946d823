import Testing

@testable import CofferdamSupport

struct TextTableTests {
    private let plain = TerminalStyle(isColoured: false)

    @Test("Columns are aligned by display width, numbers to the right, and no line ends in spaces")
    func alignment() {
        var table = TextTable([.init("NAME"), .right("LEGS"), .init("V1", .centre), .init("CALLED")])
        table.add(["lion", "4", "✓", "獅子"])
        table.add(["centipede", "100", "✗", ""])
        table.add(["狐", "4", "", "fox"])
        #expect(
            table.render(plain) == """
                NAME       LEGS  V1  CALLED
                lion          4  ✓   獅子
                centipede   100  ✗
                狐            4      fox

                """
        )
    }

    @Test("A row with too few cells is filled, one with too many is cut")
    func ragged() {
        var table = TextTable([.init("A"), .init("B")])
        table.add(["1"])
        table.add(["1", "2", "3"])
        #expect(table.render(plain) == "A  B\n1\n1  2\n")
    }

    @Test("Control characters in cells are spelled out, so that a vendor's text cannot break the table")
    func control() {
        var table = TextTable([.init("NAME"), .init("X")])
        let name = "li\u{1B}[2Jon\n"
        table.add([.init(name), "\(name)"])
        #expect(table.render(plain) == "NAME             X\nli\\u{1b}[2Jon\\n  li\\u{1b}[2Jon\\n\n")
    }

    @Test("Colour takes no width")
    func colour() {
        var table = TextTable([.init("A"), .init("B")])
        table.add([.init("xy", .green), "z"])
        let text = table.render(TerminalStyle(isColoured: true))
        #expect(text == "\u{1B}[1mA\u{1B}[0m   \u{1B}[1mB\u{1B}[0m\n\u{1B}[32mxy\u{1B}[0m  z\n")
    }

    @Test("A table without rows shows its titles")
    func empty() {
        let table = TextTable([.init("A"), .right("B")])
        #expect(table.isEmpty)
        #expect(table.render(plain) == "A  B\n")
    }
}
