import Glibc
import Node

/// The kernel's readings of this process at one moment; missing ones are left out.
struct ProcessReading {
    /// The readings.
    private(set) var values: [(metric: Metric, value: Double)] = []

    /// Reads.
    init() {
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            values.append((.processSeconds, Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)))
        }
        let descriptors = DescriptorReading()
        if let limit = descriptors.limit { values.append((.processDescriptorsMax, Double(limit))) }
        if let count = descriptors.count { values.append((.processDescriptors, Double(count))) }
        if let fields = Self.words(of: "/proc/self/statm"), fields.count > 1, let pages = Double(fields[1]) {
            values.append((.processMemory, pages * Double(sysconf(Int32(_SC_PAGESIZE)))))
        }
        if let start = Self.start { values.append((.processStart, start)) }
    }

    /// The start of the process, in seconds since 1970; it does not change, even when the clock is set.
    private static let start: Double? = {
        var (now, sinceBoot) = (timespec(), timespec())
        // The name of the program, in parentheses, may contain anything: the fields behind it are counted from its
        // end.
        guard let text = text(of: "/proc/self/stat"), let end = text.lastIndex(of: ")"),
            clock_gettime(CLOCK_REALTIME, &now) == 0, clock_gettime(CLOCK_BOOTTIME, &sinceBoot) == 0
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        // Field 22 of proc(5), in ticks since the machine was started; two are before the end of the name.
        guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
        let booted = seconds(now) - seconds(sinceBoot)
        return booted + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()

    private static func seconds(_ time: timespec) -> Double {
        Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }

    private static func words(of path: String) -> [Substring]? {
        text(of: path)?.split(whereSeparator: \.isWhitespace)
    }

    /// A file of the kernel's, up to 64 KiB of it.
    private static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < 65_536 {
            let count = read(descriptor, &part, part.count)
            guard count > 0 else { break }
            bytes += part.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
