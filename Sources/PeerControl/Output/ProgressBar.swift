import Synchronization

/// The progress of long work, in one line for people: share, amount, rate and the remaining time, as far as they are
/// known.
struct ProgressBar: Hashable {
    /// The amount in words, as "Saved 1,031 records".
    var amount: String
    /// The number of things that are done.
    var count: Int
    /// The part that is done, 0...1; `nil` where the whole is not known.
    var share: Double?
    /// The time since the work began, in seconds.
    var seconds: Double
    /// Whether the things are bytes.
    var isOfBytes = false
    /// Whether one thing takes about as long as another, so that a rate and the remaining time mean something.
    var isSteady = true

    /// The characters between the brackets.
    private static let cellCount = 20
    /// Before that time rates say nothing, in seconds.
    private static let leastSeconds = 0.5

    /// The line.
    var text: String {
        var parts = [amount]
        if isSteady, seconds >= Self.leastSeconds {
            let rate = Int((Double(count) / seconds).rounded())
            parts.append("\(isOfBytes ? Words.size(rate) : "\(rate)") a second")
            if let left = secondsLeft { parts.append("\(Self.time(left)) left") }
        }
        return bar + parts.joined(separator: ", ")
    }

    /// The time until all is done if it goes on as it went, in seconds; `nil` where that is not known.
    var secondsLeft: Double? {
        guard let share, share >= 0.01, share < 1, seconds >= Self.leastSeconds else { return nil }
        return seconds * (1 - share) / share
    }

    private var bar: String {
        guard let part = share else { return "" }
        let share = min(max(part, 0), 1)
        let done = Int(share * Double(Self.cellCount))
        let percent = "\(Int(share * 100))%"
        let cells = String(repeating: "#", count: done) + String(repeating: "-", count: Self.cellCount - done)
        return "[\(cells)] \(String(repeating: " ", count: 4 - percent.count))\(percent)  "
    }

    /// A duration that is exact enough for people who wait.
    static func time(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(.up), 1e9))
        return switch whole {
        case ..<90: "\(whole) s"
        case ..<5_400: "\((whole + 30) / 60) min"
        default: "\((whole + 1_800) / 3_600) h"
        }
    }
}

extension ProgressBar {
    /// The progress of many bytes.
    /// - Parameters:
    ///   - verb: The past participle that names the action, such as "Written".
    ///   - byteCount: The bytes that are done.
    ///   - size: All of them; `nil` where that is not known.
    ///   - seconds: The time since the work began.
    init(_ verb: String, _ byteCount: Int, of size: Int?, seconds: Double) {
        self.init(
            amount: "\(verb) \(Words.size(byteCount))" + (size.map { " of \(Words.size($0))" } ?? ""),
            count: byteCount,
            share: size.flatMap { $0 > 0 ? min(Double(byteCount) / Double($0), 1) : nil },
            seconds: seconds,
            isOfBytes: true
        )
    }
}

/// Shows the progress of long work now and then, to people alone.
struct ProgressDisplay {
    private let write: @Sendable (String) -> Void
    private let isWanted: Bool
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var last: ContinuousClock.Instant?

    /// The time between two lines.
    private static let interval: Duration = .milliseconds(100)

    /// Begins to count the time.
    /// - Parameters:
    ///   - session: Decides by its terminal and its form whether anything is shown at all.
    ///   - besidesOutput: Whether data is printed meanwhile, among which a line of progress would stand on a shared terminal.
    init(_ session: Session, besidesOutput: Bool = false) {
        let terminal = session.terminal
        self.init(
            isWanted: terminal.isErrorTerminal && !session.isJSON && !(besidesOutput && terminal.isOutputTerminal),
            write: terminal.showProgress
        )
    }

    /// Begins to count the time.
    /// - Parameters:
    ///   - isWanted: Whether anything is shown at all.
    ///   - write: Replaces the line; an empty text removes it.
    init(isWanted: Bool, write: @escaping @Sendable (String) -> Void) {
        (self.isWanted, self.write) = (isWanted, write)
        start = clock.now
    }

    /// Whether the progress is shown.
    var isShown: Bool { isWanted }
    /// The time since the beginning, in seconds.
    var seconds: Double { Self.seconds(clock.now - start) }

    /// Shows a line, unless the last one is too recent.
    /// - Parameters:
    ///   - evenAtOnce: Whether the line is shown however recent the last one is: for few lines, each of which may stay for long.
    ///   - text: The line after some seconds; asked for only where it is shown.
    mutating func show(evenAtOnce: Bool = false, _ text: (_ seconds: Double) -> String) {
        guard isWanted else { return }
        let now = clock.now
        if !evenAtOnce, let last, now - last < Self.interval { return }
        last = now
        write(text(Self.seconds(now - start)))
    }

    /// Removes the line.
    func end() {
        if isWanted { write("") }
    }

    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }
}

/// A display of progress that a closure of another task feeds.
final class SharedProgress: Sendable {
    private let display: Mutex<ProgressDisplay>

    /// Takes the display over.
    init(_ display: ProgressDisplay) { self.display = Mutex(display) }

    /// Shows a line; see ``ProgressDisplay/show(_:)``.
    func show(_ text: (_ seconds: Double) -> String) { display.withLock { $0.show(text) } }

    /// Removes the line.
    func end() { display.withLock { $0.end() } }
}
