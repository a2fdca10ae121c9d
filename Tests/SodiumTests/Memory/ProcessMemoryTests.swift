import Glibc
import Sodium
import Testing

@Suite struct ProcessMemoryTests {
    @Test func `a process that protects its memory leaves no core dump, and cannot be inspected`() async {
        await #expect(processExitsWith: .exitCode(17)) {
            guard ProcessMemory.isWithinReach, ProcessMemory.protect(), !ProcessMemory.isWithinReach else { exit(1) }
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            guard getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { exit(2) }
            guard limit.rlim_cur == 0, limit.rlim_max == 0 else { exit(3) }
            exit(17)
        }
    }
}
