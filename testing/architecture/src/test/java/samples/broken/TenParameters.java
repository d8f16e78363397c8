package samples.broken;

/** Broken: ten parameters. */
final class TenParameters {
    final int sum;

    TenParameters(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
        sum = a + b + c + d + e + f + g + h + i + j;
    }
}
