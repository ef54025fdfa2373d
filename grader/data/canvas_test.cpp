// What is drawn lands where it should, and nothing outside.
#include "grader/data/canvas.h"

#include <gtest/gtest.h>

namespace lanewise::data_test {
namespace {

constexpr Colour kWhite = {255, 255, 255};
constexpr Colour kBlack = {0, 0, 0};

int grey(const Canvas& canvas, int x, int y) {
  const Image& image = canvas.image();
  return image
      .pixels[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x))];
}

int inked(const Canvas& canvas) {
  int count = 0;
  for (int y = 0; y < canvas.image().height; ++y)
    for (int x = 0; x < canvas.image().width; ++x) count += grey(canvas, x, y) < 255 ? 1 : 0;
  return count;
}

TEST(Canvas, AnAreaCoversItsPixelsAndPartsOfThem) {
  Canvas canvas(10, 10, kWhite);
  canvas.area(2, 3, 5, 4.5, kBlack);
  EXPECT_EQ(grey(canvas, 2, 3), 0);
  EXPECT_EQ(grey(canvas, 4, 3), 0);
  EXPECT_NEAR(grey(canvas, 2, 4), 128, 1);
  EXPECT_EQ(grey(canvas, 5, 3), 255);
  EXPECT_EQ(inked(canvas), 6);
}

TEST(Canvas, WhatLiesOutsideIsNotDrawn) {
  Canvas canvas(10, 10, kWhite);
  canvas.area(-100, -100, -50, -50, kBlack);
  canvas.dot({500, 500}, 20, kBlack);
  canvas.line({{-50, 50}, {-10, 1e9}}, 3, kBlack);
  canvas.text("far away", {1000, -1000}, 12, Align::kLeft, kBlack);
  EXPECT_EQ(inked(canvas), 0);
  canvas.area(-100, -100, 100, 100, kBlack);
  EXPECT_EQ(inked(canvas), 100);
}

TEST(Canvas, ADotIsRoundAndALineAsWideAsSaid) {
  Canvas canvas(41, 41, kWhite);
  canvas.dot({20.5, 20.5}, 10, kBlack);
  EXPECT_NEAR(inked(canvas), 314, 40);
  EXPECT_EQ(grey(canvas, 20, 20), 0);
  EXPECT_EQ(grey(canvas, 13, 13), 255 - (255 - grey(canvas, 27, 27)));
  Canvas lined(41, 41, kWhite);
  lined.line({{0, 20.5}, {41, 20.5}}, 3, kBlack);
  EXPECT_EQ(grey(lined, 20, 19), 0);
  EXPECT_EQ(grey(lined, 20, 21), 0);
  EXPECT_EQ(grey(lined, 20, 22), 255);
}

TEST(Canvas, TextStandsOnItsLineWhereItIsAligned) {
  for (const Align align : {Align::kLeft, Align::kCentre, Align::kRight}) {
    Canvas canvas(200, 60, kWhite);
    canvas.text("Hell", {100, 40}, 24, align, kBlack);
    int left = 200;
    int right = 0;
    int bottom = 0;
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 200; ++x)
        if (grey(canvas, x, y) < 128) {
          left = std::min(left, x);
          right = std::max(right, x);
          bottom = std::max(bottom, y);
        }
    EXPECT_NEAR(bottom, 40, 2);
    EXPECT_NEAR(align == Align::kLeft ? left : align == Align::kRight ? right : (left + right) / 2, 100, 4);
  }
}

TEST(StrokeFont, HasEveryLetterAndDigit) {
  const auto box = text_strokes("\x7f", 12);
  for (char letter = ' '; letter < 'z'; ++letter) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) continue;
    const auto strokes = text_strokes(std::string(1, letter), 12);
    ASSERT_FALSE(strokes.empty()) << letter;
    const bool is_box = strokes.size() == 1 && strokes[0].size() == box[0].size() && strokes[0][1].y == 12 &&
                        strokes[0][2].x == box[0][2].x;
    EXPECT_FALSE(is_box) << letter;
    for (const Polyline& stroke : strokes)
      for (const Point& point : stroke) {
        EXPECT_GE(point.x, -1) << letter;
        EXPECT_LE(point.x, text_width(std::string(1, letter), 12) + 0.5) << letter;
        EXPECT_GE(point.y, -4.2) << letter;
        EXPECT_LE(point.y, 12.5) << letter;
      }
  }
}

}  // namespace
}  // namespace lanewise::data_test
